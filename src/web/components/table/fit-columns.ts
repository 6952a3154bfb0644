interface Fitting {
  width: string;
  /** `wide` columns give way first, then `medium` ones, from the right; the others stay. */
  from?: 'wide' | 'medium';
}

const GAP = 12;
const PADDING = 24;

/** The columns that fit into `room` pixels at their least widths. */
export function fitColumns<Column extends Fitting>(columns: readonly Column[], room: number): Column[] {
  const kept = [...columns];
  for (const level of ['wide', 'medium'] as const) {
    for (let i = kept.length - 1; i >= 0 && leastWidth(kept) > room; i--) {
      if (kept[i]?.from === level) kept.splice(i, 1);
    }
  }
  return kept;
}

function leastWidth(columns: readonly Fitting[]): number {
  const tracks = columns.reduce((sum, { width }) => sum + Number(/(\d+)px/.exec(width)?.[1] ?? 0), 0);
  return tracks + GAP * (columns.length - 1) + PADDING;
}
