import { isUtf8 } from 'node:buffer';
import { type Clock, systemClock } from '../../base/index.ts';
import {
  type Attributes,
  type AttributeValue,
  type InstrumentationScope,
  type LabelSet,
  type LogRecord,
  labelSet,
  type MetricMetadata,
  type ObjectVersion,
  type Span,
} from '../../model/index.ts';
import { explainRules, type RedactionMatch } from './explain.ts';
import { isMessageEvent, isMessagePart } from './prompt-keys.ts';
import { redactObjectBody } from './redact-object.ts';
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

/**
 * Replaces secrets by `[redacted:<rule>]`. Each function returns its argument itself when there is nothing to hide,
 * so that callers can tell and nothing is copied for nothing.
 */
export interface Redactor {
  text(text: string): string;
  attributes(attributes: Attributes): Attributes;
  labels(labels: LabelSet): LabelSet;
  log(record: LogRecord): LogRecord;
  span(span: Span): Span;
  object(object: ObjectVersion): ObjectVersion;
  metadata(metadata: MetricMetadata): MetricMetadata;
  rules(): RuleState[];
  /** What `text` would give, and where it would hide what. Counts nothing. */
  explain(text: string): { text: string; matches: RedactionMatch[] };
}

export function createRedactor(
  options: Partial<RedactionOptions> = {},
  clock: Pick<Clock, 'now'> = systemClock,
): Redactor {
  const { allow, prompts, patterns } = { ...defaultRedaction, ...options };
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

  const bytes = (input: Uint8Array): Uint8Array => {
    if (!isUtf8(input)) return input;
    const before = Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString();
    const clean = text(before);
    return clean === before ? input : new TextEncoder().encode(clean);
  };
  const cleanKey = rememberKeys(text);

  const value = (key: string, input: AttributeValue): AttributeValue => {
    if (typeof input === 'string') {
      if (input === '') return input;
      const rule = ofKey(key);
      return rule === undefined ? text(input) : mark(rule);
    }
    if (input === null || typeof input === 'boolean') return input;
    const rule = ofKey(key);
    if (typeof input === 'number' || typeof input === 'bigint') {
      // No number is what somebody said to a model.
      return rule === undefined || rule === 'prompt' ? input : mark(rule);
    }
    if (rule !== undefined) return mark(rule);
    if (input instanceof Uint8Array) return bytes(input);
    if ('kind' in input) {
      const entries = attributes(input.entries);
      return entries === input.entries ? input : { kind: 'map', entries };
    }
    return mapChanged(input, (item) => value(key, item));
  };

  /** Resources are shared by all records of a request, so the last ones looked at are remembered. */
  const seen = new WeakMap<Attributes, Attributes>();
  const attributes = (input: Attributes): Attributes => {
    let changed = false;
    const entries: [string, AttributeValue][] = [];
    for (const [key, item] of input) {
      const entry: [string, AttributeValue] = [cleanKey(key), value(key, item)];
      if (entry[0] !== key || entry[1] !== item) changed = true;
      entries.push(entry);
    }
    return changed ? withEveryEntry(entries) : input;
  };
  const resource = (input: Attributes): Attributes => {
    let clean = seen.get(input);
    if (clean === undefined) {
      clean = attributes(input);
      seen.set(input, clean);
    }
    return clean;
  };

  const objectRules = { text, ofKey, ofName };
  /** Collectors send Kubernetes objects as log lines, too. */
  const body = (input: string): string =>
    input.includes('"apiVersion"') && /^\s*\{/.test(input) ? redactObjectBody(input, objectRules) : text(input);
  const scopes = new WeakMap<InstrumentationScope, InstrumentationScope>();
  const scope = (input: InstrumentationScope): InstrumentationScope => {
    let clean = scopes.get(input);
    if (clean === undefined) {
      clean = withChanges(input, {
        name: text(input.name),
        version: text(input.version),
        ...(input.attributes === undefined ? {} : { attributes: attributes(input.attributes) }),
        ...(input.schemaUrl === undefined ? {} : { schemaUrl: text(input.schemaUrl) }),
      });
      scopes.set(input, clean);
    }
    return clean;
  };
  const ruleState = (name: string, source: RuleState['source'], hides: string): RuleState => {
    const { count = 0, lastMs = null } = hits.get(name) ?? {};
    return { name, source, on: source === 'user' || !isOff(name), hides, count, lastMs };
  };
  const isOff = (name: string) => [...off].some((rule) => rule === name);

  return {
    text,
    attributes,
    labels(labels) {
      let changed: string[] | undefined;
      let renamed = false;
      for (let i = 0; i < labels.length; i += 2) {
        const [name = '', before = ''] = [labels[i], labels[i + 1]];
        const rule = ofKey(name);
        const clean = rule === undefined ? text(before) : mark(rule);
        const cleanName = cleanKey(name);
        if (clean === before && cleanName === name) continue;
        if (cleanName !== name) renamed = true;
        changed ??= [...labels];
        changed[i] = cleanName;
        changed[i + 1] = clean;
      }
      if (changed === undefined) return labels;
      return renamed ? withEveryLabel(changed) : changed;
    },
    log: (record) => {
      const isMessage = !off.has('prompt') && isModelMessage(record);
      return withChanges(record, {
        body: isMessage && record.body !== '' ? mark('prompt') : body(record.body),
        severityText: text(record.severityText),
        resource: resource(record.resource),
        attributes: attributes(isMessage ? withoutMessage(record.attributes, mark) : record.attributes),
        scope: scope(record.scope),
      });
    },
    span: (span) =>
      withChanges(span, {
        name: text(span.name),
        statusMessage: text(span.statusMessage),
        traceState: text(span.traceState),
        resource: resource(span.resource),
        attributes: attributes(span.attributes),
        scope: scope(span.scope),
        events: mapChanged(span.events, (event) =>
          withChanges(event, {
            name: text(event.name),
            attributes: attributes(
              !off.has('prompt') && isMessageEvent(event.name)
                ? withoutMessage(event.attributes, mark)
                : event.attributes,
            ),
          }),
        ),
        links: mapChanged(span.links, (link) =>
          withChanges(link, {
            attributes: attributes(link.attributes),
            ...(link.traceState === undefined ? {} : { traceState: text(link.traceState) }),
          }),
        ),
      }),
    object: (object) => withChanges(object, { body: redactObjectBody(object.body, objectRules) }),
    metadata: (metadata) =>
      withChanges(metadata, { family: text(metadata.family), help: text(metadata.help), unit: text(metadata.unit) }),
    rules: () => [
      ...Object.entries(RULES).map(([name, hides]) => ruleState(name, 'built-in', hides)),
      ...patterns.map(({ name, literal }) => ruleState(name, 'user', `Your pattern behind “${literal}”.`)),
    ],
    explain: (input) => explainRules(input, [...rules, ...user]),
  };
}

let ownWords = createRedactor();

/** Hides secrets in text that Trifocal is about to write itself: log lines, error texts, notes. */
export function redactText(text: string): string {
  return ownWords.text(text);
}

/** From now on `redactText` of this thread keeps to these rules; until then to the built-in ones. */
export function configureRedactText(options: Partial<RedactionOptions>): void {
  ownWords = createRedactor(options);
}

/** OpenTelemetry's log events that carry what was said to a model or by it. */
function isModelMessage({ attributes }: LogRecord): boolean {
  if (attributes.size === 0) return false;
  const name = attributes.get('event.name') ?? attributes.get('event_name');
  return typeof name === 'string' && isMessageEvent(name);
}

/** The attributes of such an event without the message. */
function withoutMessage(attributes: Attributes, mark: (rule: RuleName) => string): Attributes {
  let masked: Map<string, AttributeValue> | undefined;
  for (const [key, value] of attributes) {
    if (value === '' || value === null || !isMessagePart(key)) continue;
    masked ??= new Map(attributes);
    masked.set(key, mark('prompt'));
  }
  return masked ?? attributes;
}

/** Names that are equal once masked are numbered, as keys of attributes are. */
function withEveryLabel(labels: readonly string[]): LabelSet {
  const pairs: [string, AttributeValue][] = [];
  for (let i = 0; i < labels.length; i += 2) pairs.push([labels[i] ?? '', labels[i + 1] ?? '']);
  return labelSet([...withEveryEntry(pairs)].map(([name, value]): [string, string] => [name, String(value)]));
}

/** Keys that are equal once masked are numbered, so that none takes the place of another. */
function withEveryEntry(entries: readonly [string, AttributeValue][]): Attributes {
  const map = new Map<string, AttributeValue>();
  for (const [key, value] of entries) {
    let free = key;
    for (let n = 2; map.has(free); n++) free = `${key} (${n})`;
    map.set(free, value);
  }
  return map;
}

function withChanges<T extends object>(original: T, parts: Partial<T>): T {
  for (const key of Object.keys(parts) as (keyof T)[]) {
    // the keys are those of Partial<T>
    if (parts[key] !== original[key]) return { ...original, ...parts };
  }
  return original;
}

function mapChanged<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let changed: T[] | undefined;
  items.forEach((item, i) => {
    const next = change(item);
    if (next === item) return;
    changed ??= [...items];
    changed[i] = next;
  });
  return changed ?? items;
}
