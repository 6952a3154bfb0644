export interface SortOrder {
  column: string;
  descending: boolean;
}

/** Rows in the order of a column's values; rows without one come last in both directions, equal rows keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  value: ((row: Row) => number | string | null | undefined) | undefined,
  descending: boolean,
): Row[] {
  if (!value) return [...rows];
  const direction = descending ? -1 : 1;
  return rows
    .map((row) => ({ row, key: value(row) ?? null }))
    .sort((a, b) => {
      if (a.key === null || b.key === null) return a.key === b.key ? 0 : a.key === null ? 1 : -1;
      return direction * compare(a.key, b.key);
    })
    .map(({ row }) => row);
}

function compare(a: number | string, b: number | string): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}

const collator = new Intl.Collator('en', { numeric: true });
