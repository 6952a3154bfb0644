/**
 * The labels of a series: names and values alternating in one flat array, sorted by name in UTF-16 order, no empty
 * values, no name twice. Made by `labelSet`; treat as frozen. (An object would trip over names like `__proto__`.)
 */
export type LabelSet = readonly string[] & { readonly __labelSet?: never };

export const METRIC_NAME = '__name__';
export const emptyLabels: LabelSet = [];

/** Sorts and drops empty values, as Prometheus does. A name given twice keeps its last value; check before if that matters. */
export function labelSet(pairs: Iterable<readonly [string, string]>): LabelSet {
  const byName = new Map<string, string>();
  for (const [name, value] of pairs) byName.set(name, value);
  const names = [...byName.keys()].filter((name) => byName.get(name) !== '').sort(compareText);
  return names.flatMap((name) => [name, byName.get(name) ?? '']);
}

export function labelSetFrom(record: Readonly<Record<string, string>>): LabelSet {
  return labelSet(Object.entries(record));
}

/** The label's value, or `''` when it is not there (Prometheus does not distinguish). */
export function labelValue(labels: LabelSet, name: string): string {
  for (let i = 0; i < labels.length; i += 2) if (labels[i] === name) return labels[i + 1] ?? '';
  return '';
}

export function* labelPairs(labels: LabelSet): Generator<readonly [string, string]> {
  for (let i = 0; i < labels.length; i += 2) yield [labels[i] ?? '', labels[i + 1] ?? ''];
}

/** Only the named labels. */
export function keepLabels(labels: LabelSet, names: ReadonlySet<string>): LabelSet {
  return filterLabels(labels, (name) => names.has(name));
}

/** All but the named labels. */
export function dropLabels(labels: LabelSet, names: ReadonlySet<string>): LabelSet {
  return filterLabels(labels, (name) => !names.has(name));
}

function filterLabels(labels: LabelSet, keep: (name: string) => boolean): LabelSet {
  const kept: string[] = [];
  for (let i = 0; i < labels.length; i += 2) if (keep(labels[i] ?? '')) kept.push(labels[i] ?? '', labels[i + 1] ?? '');
  return kept;
}

/** The set with one label added, replaced, or (with an empty value) removed. */
export function withLabel(labels: LabelSet, name: string, value: string): LabelSet {
  return labelSet([...labelPairs(labels), [name, value]]);
}

/** A string equal exactly when the sets are equal; usable as a map key. Not for display. */
export function labelKey(labels: LabelSet): string {
  return labels.join('\u0000');
}

/** A plain object with the same pairs, for JSON. Safe for any label name. */
export function labelRecord(labels: LabelSet): Record<string, string> {
  return Object.fromEntries(labelPairs(labels));
}

/** `name{a="b"}` as Prometheus prints it in messages. */
export function formatLabels(labels: LabelSet): string {
  const inner = [...labelPairs(labels)]
    .filter(([name]) => name !== METRIC_NAME)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${labelValue(labels, METRIC_NAME)}${inner.length > 0 || labels.length === 0 ? `{${inner.join(', ')}}` : ''}`;
}

/** Negative, zero or positive as Prometheus orders label sets. */
export function compareLabels(a: LabelSet, b: LabelSet): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareText(a[i] ?? '', b[i] ?? '');
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
