import { dropLabels, type LabelSet, labelKey, labelPairs, labelSet, METRIC_NAME } from '../../../model/index.ts';
import { PromqlError } from '../error.ts';
import type { Query } from './query.ts';
import type { Row } from './values.ts';

const NAME_ONLY: ReadonlySet<string> = new Set([METRIC_NAME]);

export function withoutName(labels: LabelSet): LabelSet {
  return labels.includes(METRIC_NAME) ? dropLabels(labels, NAME_ONLY) : labels;
}

/** Rows of a result that has no name: dropped here and now, or marked for the end of the query. */
export function dropNames(rows: Row[], query: Query): Row[] {
  if (query.delayNames) return rows.map((row) => (row.dropName ? row : { ...row, dropName: true }));
  return mergeEqual(rows.map((row) => ({ ...row, labels: withoutName(row.labels) })));
}

/** Drops the names that were marked; the last step of a query. */
export function dropMarkedNames(rows: Row[]): Row[] {
  if (!rows.some((row) => row.dropName)) return rows;
  return mergeEqual(
    rows.map((row) => (row.dropName ? { ...row, labels: withoutName(row.labels), dropName: false } : row)),
  );
}

/** One row per label set; elements of equal label sets at one point are an error. */
export function mergeEqual(rows: Row[]): Row[] {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    const key = labelKey(row.labels);
    const known = byKey.get(key);
    byKey.set(key, known ? merge(known, row) : row);
  }
  return byKey.size === rows.length ? rows : [...byKey.values()];
}

function merge(a: Row, b: Row): Row {
  const values = a.values.slice();
  const present = a.present.slice();
  for (let step = 0; step < present.length; step++) {
    if (!b.present[step]) continue;
    if (present[step]) throw new PromqlError('execution', 'vector cannot contain metrics with the same labelset');
    values[step] = b.values[step] ?? 0;
    present[step] = 1;
  }
  const merged: Row = { labels: a.labels, dropName: a.dropName || b.dropName, values, present };
  if (a.histograms || b.histograms) {
    merged.histograms = Array.from(present, (_, step) => (b.present[step] ? b : a).histograms?.[step]);
  }
  return merged;
}

/** `{a="b", c="d"}` as Prometheus prints label sets in messages, the name among them. */
export function describeLabels(labels: LabelSet): string {
  return `{${[...labelPairs(labels)].map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ')}}`;
}

/** The set with a label replaced; an empty value removes it. */
export function replaceLabel(labels: LabelSet, name: string, value: string): LabelSet {
  return labelSet([...labelPairs(labels), [name, value]]);
}
