import { isUtf8 } from 'node:buffer';
import type {
  Attributes,
  AttributeValue,
  LabelSet,
  LogRecord,
  MetricMetadata,
  ObjectVersion,
  Span,
} from '../../model/index.ts';
import { redactObjectBody } from './redact-object.ts';
import {
  mayHoldSecret,
  type RedactionRule,
  type RuleName,
  secretKey,
  secretName,
  textRules,
} from './redaction-rules.ts';

export interface RedactionOptions {
  /** Rules that are switched off. */
  allow: readonly RuleName[];
  /** Prompt and completion text of model calls: mask it, or keep it. */
  prompts: 'mask' | 'keep';
}

export const defaultRedaction: RedactionOptions = { allow: [], prompts: 'mask' };

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
}

export function createRedactor(options: RedactionOptions = defaultRedaction): Redactor {
  const off = new Set<RuleName>(options.allow);
  if (options.prompts === 'keep') off.add('prompt');
  const rules = textRules.filter((rule) => !off.has(rule.name));
  const ofKey = rememberKeys((key) => {
    const rule = secretKey(key);
    return rule === undefined || off.has(rule) ? undefined : rule;
  });

  const ofName = rememberKeys((name) => {
    const rule = secretName(name);
    return rule === undefined || off.has(rule) ? undefined : rule;
  });

  const text = (input: string) => (mayHoldSecret(input) ? applyRules(rules, input) : input);

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
    if (input === null || typeof input !== 'object') return input;
    const rule = ofKey(key);
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

  return {
    text,
    attributes,
    labels(labels) {
      let changed: string[] | undefined;
      for (let i = 1; i < labels.length; i += 2) {
        const before = labels[i] ?? '';
        const rule = ofKey(labels[i - 1] ?? '');
        const clean = rule === undefined ? text(before) : mark(rule);
        if (clean === before) continue;
        changed ??= [...labels];
        changed[i] = clean;
      }
      return changed ?? labels;
    },
    log: (record) =>
      withChanges(record, {
        body: isModelMessage(record) && !off.has('prompt') && record.body !== '' ? mark('prompt') : text(record.body),
        severityText: text(record.severityText),
        resource: resource(record.resource),
        attributes: attributes(record.attributes),
      }),
    span: (span) =>
      withChanges(span, {
        name: text(span.name),
        statusMessage: text(span.statusMessage),
        traceState: text(span.traceState),
        resource: resource(span.resource),
        attributes: attributes(span.attributes),
        events: mapChanged(span.events, (event) =>
          withChanges(event, { name: text(event.name), attributes: attributes(event.attributes) }),
        ),
        links: mapChanged(span.links, (link) => withChanges(link, { attributes: attributes(link.attributes) })),
      }),
    object: (object) => withChanges(object, { body: redactObjectBody(object.body, { text, ofKey, ofName }) }),
    metadata: (metadata) => withChanges(metadata, { help: text(metadata.help) }),
  };
}

const standard = createRedactor();

/** Hides secrets in text that is about to be written somewhere: log lines, error texts, notes. */
export function redactText(text: string): string {
  return standard.text(text);
}

/** OpenTelemetry's log events whose body is what was said to a model or by it. */
function isModelMessage({ attributes }: LogRecord): boolean {
  if (attributes.size === 0) return false;
  const name = attributes.get('event.name') ?? attributes.get('event_name');
  return (
    typeof name === 'string' &&
    name.startsWith('gen_ai.') &&
    /^gen_ai\.(?:\w+\.message|choice|content\.\w+|client\.inference\.operation\.details)$/.test(name)
  );
}

function applyRules(rules: readonly RedactionRule[], input: string): string {
  let text = input;
  for (const rule of rules) if (rule.hint.test(text)) text = rule.apply(text);
  return text;
}

function mark(rule: RuleName): string {
  return `[redacted:${rule}]`;
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

/** What a key means is asked once; keys come from outside, so the memory of them is bounded. */
function rememberKeys<T>(judge: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const verdict = known.get(key);
    if (verdict !== undefined || known.has(key)) return verdict as T; // set below with a T
    if (known.size >= 20_000) known.clear();
    const judged = judge(key);
    known.set(key, judged);
    return judged;
  };
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
