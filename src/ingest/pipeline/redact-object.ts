import type { RuleName } from './redaction-rules.ts';
import { isNoSecret } from './redaction-rules.ts';

export interface ObjectRules {
  text(text: string): string;
  /** The rule by which the value of a field is secret. */
  ofKey(key: string): RuleName | undefined;
  /** The same of an environment variable, a header or a command-line flag: anybody names those, so more words count. */
  ofName(name: string): RuleName | undefined;
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * The JSON of a Kubernetes object without its secrets: values of secret keys, of `{name, value}` pairs and of flags
 * with secret names, and whatever the text rules find in the rest. The same text comes back when nothing is secret.
 */
export function redactObjectBody(body: string, rules: ObjectRules): string {
  let object: Json;
  try {
    object = JSON.parse(body);
  } catch {
    return rules.text(body);
  }
  const clean = redactJson(object, rules);
  return clean === object ? body : JSON.stringify(clean);
}

function redactJson(value: Json, rules: ObjectRules): Json {
  if (typeof value === 'string') return redactNested(value, rules) ?? rules.text(redactFlags(value, rules));
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return redactList(value, rules);
  // Secrets are not watched, but other collectors may send them.
  const isSecret = value.kind === 'Secret';
  const pairName = typeof value.name === 'string' ? value.name : undefined;
  let changed = false;
  const entries = Object.entries(value).map(([key, item]): [string, Json] => {
    const rule =
      key === 'value' && pairName !== undefined
        ? (rules.ofKey(pairName) ?? rules.ofName(pairName))
        : // An annotation's key has its owner's domain in front.
          (rules.ofKey(key) ?? rules.ofKey(key.slice(key.lastIndexOf('/') + 1)));
    if (isSecret && (key === 'data' || key === 'stringData') && item !== null && typeof item === 'object') {
      changed = true;
      return [key, hideValues(item)];
    }
    const clean = (rule !== undefined && mask(item, rule)) || redactJson(item, rules);
    if (clean !== item) changed = true;
    return [key, clean];
  });
  return changed ? Object.fromEntries(entries) : value;
}

function hideValues(data: Json[] | { [key: string]: Json }): Json {
  return Object.fromEntries(Object.keys(data).map((key) => [key, '[redacted:api-key]']));
}

/** JSON inside of a text, as in the last-applied annotation: read like the object itself. */
function redactNested(text: string, rules: ObjectRules): string | undefined {
  if (!/^\s*[{[]/.test(text) || text.length < 12) return undefined;
  let inner: Json;
  try {
    inner = JSON.parse(text);
  } catch {
    return undefined;
  }
  const clean = redactJson(inner, rules);
  return clean === inner ? text : JSON.stringify(clean);
}

/** A command line may have the flag in one element and its value in the next. */
function redactList(list: Json[], rules: ObjectRules): Json[] {
  let changed = false;
  let expected: RuleName | undefined;
  const clean = list.map((item) => {
    const masked = expected !== undefined && typeof item === 'string' && !item.startsWith('-') && mask(item, expected);
    expected = typeof item === 'string' && LONE_FLAG.test(item) ? rules.ofName(item) : undefined;
    const next = masked || (typeof item === 'string' && redactFlagElement(item, rules)) || redactJson(item, rules);
    if (next !== item) changed = true;
    return next;
  });
  return changed ? clean : list;
}

/** `--password=a b` as one element: all that follows is the value. */
function redactFlagElement(text: string, rules: ObjectRules): string | undefined {
  const flag = /^--?[A-Za-z][\w.-]{0,63}=/.exec(text)?.[0];
  const rule = flag === undefined ? undefined : rules.ofName(flag.slice(0, -1));
  const value = rule === undefined || flag === undefined ? undefined : mask(text.slice(flag.length), rule);
  return value === undefined ? undefined : `${flag}${value}`;
}

const LONE_FLAG = /^--?[A-Za-z][\w.-]{0,63}$/;
const FLAG_VALUE = /(?<![\w-])(--?[A-Za-z][\w.-]{0,63}=)("[^"]*"|'[^']*'|[^\s"']+)/g;

function redactFlags(text: string, rules: ObjectRules): string {
  if (!text.includes('-') || !text.includes('=')) return text;
  return text.replace(FLAG_VALUE, (match, flag: string, value: string) => {
    const rule = rules.ofName(flag.slice(0, -1));
    return rule === undefined || isNoSecret(value) ? match : `${flag}[redacted:${rule}]`;
  });
}

/** Objects (`valueFrom` and such) and values that tell nothing stay as they are. */
function mask(value: Json, rule: RuleName): string | undefined {
  const isText = typeof value === 'string' || typeof value === 'number';
  return isText && value !== '' && !isNoSecret(String(value)) ? `[redacted:${rule}]` : undefined;
}
