import { compareLabels, labelValue } from '../../../model/index.ts';
import type { Row } from './values.ts';

/** Rows by their value at the first point, NaN last in both directions; meant for instant queries. */
export function sortByValue(rows: Row[], direction: 'ascending' | 'descending'): Row[] {
  const sign = direction === 'ascending' ? 1 : -1;
  const value = (row: Row) => row.values[0] ?? 0;
  return rows.toSorted((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    return sign * (x < y ? -1 : x > y ? 1 : 0);
  });
}

/** Rows by the named labels in natural order (`a2` before `a10`), then by all labels. */
export function sortByLabels(rows: Row[], names: readonly string[], direction: 'ascending' | 'descending'): Row[] {
  const sign = direction === 'ascending' ? 1 : -1;
  return rows.toSorted((a, b) => {
    for (const name of names) {
      const order = compareNaturally(labelValue(a.labels, name), labelValue(b.labels, name));
      if (order !== 0) return sign * order;
    }
    return sign * compareLabels(a.labels, b.labels);
  });
}

function compareNaturally(a: string, b: string): number {
  const [left, right] = [chunks(a), chunks(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i] ?? '', right[i] ?? ''];
    if (x === y) continue;
    if (/^\d/.test(x) && /^\d/.test(y) && Number(x) !== Number(y)) return Number(x) - Number(y);
    return x < y ? -1 : 1;
  }
  return left.length - right.length;
}

function chunks(text: string): string[] {
  return text.match(/\d+|\D+/g) ?? [];
}
