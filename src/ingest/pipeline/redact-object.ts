import { type LocatedJson, locateJson } from './located-json.ts';
import type { RuleName } from './redaction-rules.ts';
import { isNoSecret } from './redaction-rules.ts';

export interface ObjectRules {
  text(text: string): string;
  /** The rule by which the value of a field is secret. */
  ofKey(key: string): RuleName | undefined;
  /** The same of an environment variable, a header or a command-line flag: anybody names those, so more words count. */
  ofName(name: string): RuleName | undefined;
}

/** JSON in a text in JSON and so on: that many are looked into, as each is read anew. */
const MAX_NESTED = 8;

/**
 * The JSON of a Kubernetes object without its secrets: values of secret keys, of `{name, value}` pairs and of flags
 * with secret names, and whatever the text rules find in the rest. Values in which nothing is hidden stay byte for byte as they
 * were, long integers too. What lies more than 64 deep is seen by the text rules alone.
 */
export function redactObjectBody(body: string, rules: ObjectRules): string {
  return redactJson(body, rules, 0) ?? rules.text(body);
}

/** Undefined when the text is not JSON. */
function redactJson(text: string, rules: ObjectRules, level: number): string | undefined {
  const root = locateJson(text);
  if (root === undefined) return undefined;
  const edits = createEdits(text);
  redactValue(root, { text, rules, level, edits });
  return edits.apply();
}

interface Reading {
  text: string;
  rules: ObjectRules;
  /** In how many texts this JSON is nested. */
  level: number;
  edits: Edits;
}

interface Member {
  key: string;
  value: LocatedJson;
}

interface Edits {
  /** In rising order. */
  replace(part: LocatedJson, by: string): void;
  apply(): string;
}

function createEdits(text: string): Edits {
  let result = '';
  let done = 0;
  return {
    replace(part, by) {
      result += text.slice(done, part.start) + by;
      done = part.end;
    },
    apply: () => (done === 0 ? text : result + text.slice(done)),
  };
}

function redactValue(value: LocatedJson, reading: Reading): void {
  const { text, rules, edits } = reading;
  if (value.kind === 'object') redactMembers(value.members, reading);
  else if (value.kind === 'array') redactList(value.items, reading);
  else if (value.kind === 'string') replaceText(value, redactText(value.text, reading), edits);
  else if (value.kind === 'deep') {
    const before = text.slice(value.start, value.end);
    const clean = rules.text(before);
    if (clean !== before) edits.replace(value, clean);
  }
}

function replaceText(value: LocatedJson & { kind: 'string' }, clean: string, edits: Edits): void {
  if (clean !== value.text) edits.replace(value, JSON.stringify(clean));
}

/** `within` is the rule of the key behind which the object stands, where that is a secret's. */
function redactMembers(members: readonly Member[], reading: Reading, within?: RuleName): void {
  const { rules, edits } = reading;
  const textsOf = (name: string) =>
    members.flatMap(({ key, value }) => (key === name && value.kind === 'string' ? [value.text] : []));
  // Secrets are not watched, but other collectors may send them.
  const isSecret = textsOf('kind').includes('Secret');
  const pairNames = textsOf('name');
  for (const { key, value } of members) {
    if (isSecret && (key === 'data' || key === 'stringData') && value.kind !== 'scalar' && value.kind !== 'string') {
      hideAll(value, edits);
      continue;
    }
    const rule =
      key === 'value' && pairNames.length > 0
        ? pairNames.map((name) => rules.ofKey(name) ?? rules.ofName(name)).find((found) => found !== undefined)
        : // An annotation's key has its owner's domain in front.
          (rules.ofKey(key) ??
          rules.ofKey(key.slice(key.lastIndexOf('/') + 1)) ??
          (key === 'value' ? within : undefined));
    if (rule === undefined) redactValue(value, reading);
    else if (holdsSecret(value, reading)) edits.replace(value, JSON.stringify(mark(rule)));
    else if (value.kind === 'object') redactMembers(value.members, reading, rule);
    else redactValue(value, reading);
  }
}

/** The keys stay. */
function hideAll(data: LocatedJson, edits: Edits): void {
  const hidden = JSON.stringify(mark('api-key'));
  if (data.kind === 'object') for (const { value } of data.members) edits.replace(value, hidden);
  else if (data.kind === 'array') for (const item of data.items) edits.replace(item, hidden);
  else edits.replace(data, hidden);
}

/** A command line may have the flag in one element and its value in the next. */
function redactList(items: readonly LocatedJson[], reading: Reading): void {
  const { rules, edits } = reading;
  let expected: RuleName | undefined;
  for (const item of items) {
    if (item.kind !== 'string') {
      redactValue(item, reading);
      expected = undefined;
      continue;
    }
    const isValue = expected !== undefined && !item.text.startsWith('-') && tellsSomething(item, reading);
    if (isValue && expected !== undefined) edits.replace(item, JSON.stringify(mark(expected)));
    else replaceText(item, redactFlagElement(item.text, rules) ?? redactText(item.text, reading), edits);
    expected = LONE_FLAG.test(item.text) ? rules.ofName(item.text) : undefined;
  }
}

/** JSON inside of a text, as in the last-applied annotation, is read like the object itself. */
function redactText(text: string, { rules, level }: Reading): string {
  const mayBeJson = level < MAX_NESTED && text.length >= 12 && /^\s*[{[]/.test(text);
  return (mayBeJson ? redactJson(text, rules, level + 1) : undefined) ?? rules.text(redactFlags(text, rules));
}

/** `--password=a b` as one element: all that follows is the value. */
function redactFlagElement(text: string, rules: ObjectRules): string | undefined {
  const flag = /^--?[A-Za-z][\w.-]{0,63}=/.exec(text)?.[0];
  if (flag === undefined) return undefined;
  const rule = rules.ofName(flag.slice(0, -1));
  const value = text.slice(flag.length);
  return rule === undefined || value === '' || isNoSecret(value) ? undefined : flag + mark(rule);
}

const LONE_FLAG = /^--?[A-Za-z][\w.-]{0,63}$/;
const FLAG_VALUE = /(?<![\w-])(--?[A-Za-z][\w.-]{0,63}=)("[^"]*"|'[^']*'|[^\s"']+)/g;

function redactFlags(text: string, rules: ObjectRules): string {
  if (!text.includes('-') || !text.includes('=')) return text;
  return text.replace(FLAG_VALUE, (match, flag: string, value: string) => {
    const rule = rules.ofName(flag.slice(0, -1));
    return rule === undefined || isNoSecret(value) ? match : flag + mark(rule);
  });
}

/** Whether the value of a secret key is to go as a whole. References to secrets and schemas of them tell nothing. */
function holdsSecret(value: LocatedJson, reading: Reading): boolean {
  if (value.kind === 'array') return value.items.some((item) => holdsSecret(item, reading));
  if (value.kind === 'deep') return true;
  if (value.kind !== 'object') return tellsSomething(value, reading);
  return (
    !value.members.some(({ key }) => SAYS_WHERE.test(key)) &&
    value.members.some((member) => holdsSecret(member.value, reading))
  );
}

const SAYS_WHERE = /^(?:valueFrom|\w*Ref|secretName|name|key|type|\$ref|fieldPath)$/;

/** Values such as `true` do not. */
function tellsSomething(value: LocatedJson, { text }: Reading): boolean {
  if (value.kind === 'string') return value.text !== '' && !isNoSecret(value.text);
  return value.kind === 'scalar' && !isNoSecret(text.slice(value.start, value.end));
}

function mark(rule: RuleName): string {
  return `[redacted:${rule}]`;
}
