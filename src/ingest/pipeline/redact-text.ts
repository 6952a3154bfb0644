import { isUtf8 } from 'node:buffer';
import type { Clock } from '../../base/index.ts';
import { explainRules, type RedactionMatch } from './explain.ts';
import { mayHoldSecret, RULES, type RuleName, secretKey, secretName, textRules } from './redaction-rules.ts';
import { rememberKeys } from './remember-keys.ts';
import { compileUserRule, type UserPattern } from './user-patterns.ts';

export interface RedactionOptions {
  /** Rules that are switched off. */
  allow: readonly RuleName[];
  /** Prompt and completion text of model calls: mask it, or keep it. */
  prompts: 'mask' | 'keep';
  /** The operator's own rules, checked by `checkUserPattern`; they see what the built-in ones left. */
  patterns: readonly UserPattern[];
}

export const defaultRedaction: RedactionOptions = { allow: [], prompts: 'mask', patterns: [] };

/** One rule and how often it hid something since the start. A resource or key that is shared by many signals counts once. */
export interface RuleState {
  name: string;
  source: 'built-in' | 'user';
  on: boolean;
  hides: string;
  count: number;
  lastMs: number | null;
}

/** The rules that are switched on, applied to texts and keys, and how often each hid something. */
export interface TextRedaction {
  text(text: string): string;
  /** Bytes that are text. */
  bytes(bytes: Uint8Array): Uint8Array;
  /** The rule by which the value of a key is secret, whatever it looks like. */
  ofKey(key: string): RuleName | undefined;
  /** The same of an environment variable, a header or a flag. */
  ofName(name: string): RuleName | undefined;
  /** What stands for a secret; counts it. */
  mark(rule: RuleName): string;
  isOn(rule: RuleName): boolean;
  rules(): RuleState[];
  /** What `text` would give, and where it would hide what. Counts nothing. */
  explain(text: string): { text: string; matches: RedactionMatch[] };
}

export function createTextRedaction(options: RedactionOptions, clock: Pick<Clock, 'now'>): TextRedaction {
  const { allow, prompts, patterns } = options;
  const user = patterns.map((pattern) => ({ ...compileUserRule(pattern), literal: pattern.literal }));
  const hits = new Map<string, { count: number; lastMs: number }>();
  const hit = (rule: string) => {
    const known = hits.get(rule);
    if (known === undefined) hits.set(rule, { count: 1, lastMs: clock.now() });
    else {
      known.count++;
      known.lastMs = clock.now();
    }
  };
  const off = new Set<RuleName>(allow);
  if (prompts === 'keep') off.add('prompt');
  const rules = textRules.filter((rule) => !off.has(rule.name));
  const ofKey = rememberKeys((key) => {
    const rule = secretKey(key);
    return rule === undefined || off.has(rule) ? undefined : rule;
  });

  const ofName = rememberKeys((name) => {
    const rule = secretName(name);
    return rule === undefined || off.has(rule) ? undefined : rule;
  });

  const text = (input: string): string => {
    let clean = input;
    if (mayHoldSecret(input)) {
      for (const rule of rules) {
        if (!rule.hint.test(clean)) continue;
        const next = rule.apply(clean);
        if (next !== clean) hit(rule.name);
        clean = next;
      }
    }
    for (const rule of user) {
      if (!clean.includes(rule.literal)) continue;
      const next = rule.apply(clean);
      if (next !== clean) hit(rule.name);
      clean = next;
    }
    return clean;
  };
  const mark = (rule: RuleName): string => {
    hit(rule);
    return `[redacted:${rule}]`;
  };

  const ruleState = (name: string, source: RuleState['source'], hides: string): RuleState => {
    const { count = 0, lastMs = null } = hits.get(name) ?? {};
    return { name, source, on: source === 'user' || !isOff(name), hides, count, lastMs };
  };
  const isOff = (name: string) => [...off].some((rule) => rule === name);

  return {
    text,
    bytes(input) {
      if (!isUtf8(input)) return input;
      const before = Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString();
      const clean = text(before);
      return clean === before ? input : new TextEncoder().encode(clean);
    },
    ofKey,
    ofName,
    mark,
    isOn: (rule) => !off.has(rule),
    rules: () => [
      ...Object.entries(RULES).map(([name, hides]) => ruleState(name, 'built-in', hides)),
      ...patterns.map(({ name, literal }) => ruleState(name, 'user', `Your pattern behind “${literal}”.`)),
    ],
    explain: (input) => explainRules(input, [...rules, ...user]),
  };
}
