import { type Attributes, type AttributeValue, type LabelSet, labelSet } from '../../model/index.ts';
import type { TextRedaction } from './redact-text.ts';
import { rememberKeys } from './remember-keys.ts';
import { mapChanged } from './with-changes.ts';

/** Attributes and labels without secrets: in their values, by their keys, and in the keys themselves. */
interface AttributeRedaction {
  attributes(attributes: Attributes): Attributes;
  /** Of a resource, which many signals share: looked at once. */
  resource(resource: Attributes): Attributes;
  labels(labels: LabelSet): LabelSet;
}

export function createAttributeRedaction({ text, bytes, ofKey, mark }: TextRedaction): AttributeRedaction {
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

  return {
    attributes,
    resource,
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
  };
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
