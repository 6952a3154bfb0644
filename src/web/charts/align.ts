/** Points as the API gives them: epoch seconds and a value, null where there was none. */
export type Points = readonly (readonly [number, number | null])[];

export interface Aligned {
  /** Epoch seconds, rising. */
  times: number[];
  /** null breaks a line, undefined is passed over. */
  rows: (number | null | undefined)[][];
}

/**
 * Brings series onto one time axis. Where a series has nothing for longer than `maxGap` seconds it gets a null in
 * between, so that no line is drawn over missing data; shorter holes, which only come from series that were sampled at
 * other times, stay undefined for the line to pass over.
 */
export function alignSeries(series: readonly Points[], maxGap: number): Aligned {
  const all = new Set<number>();
  for (const points of series) for (const [t] of points) all.add(t);
  for (const points of series) for (const t of gapTimes(points, maxGap)) all.add(t);
  const times = [...all].sort((a, b) => a - b);
  return { times, rows: series.map((points) => rowOn(times, points, maxGap)) };
}

/** Sums each row onto those before it, for areas that stand on one another. A missing part counts as nothing, a missing whole stays missing. */
export function stackRows(rows: Aligned['rows']): (number | null)[][] {
  const sums: number[] = [];
  return rows.map((row) =>
    row.map((value, i) => {
      sums[i] = (sums[i] ?? 0) + (value ?? 0);
      return rows.every((r) => (r[i] ?? null) === null) ? null : (sums[i] ?? null);
    }),
  );
}

export interface Span {
  from: number;
  to: number;
}

/** Where no series has a value for longer than `maxGap`, within the shown range. */
export function emptySpans({ times, rows }: Aligned, range: Span, maxGap: number): Span[] {
  const filled = times.filter(
    (t, i) => t >= range.from && t <= range.to && rows.some((row) => typeof row[i] === 'number'),
  );
  const edges = [range.from, ...filled, range.to];
  const spans: Span[] = [];
  for (let i = 1; i < edges.length; i++) {
    const from = edges[i - 1] ?? 0;
    const to = edges[i] ?? 0;
    if (to - from > maxGap) spans.push({ from, to });
  }
  return spans;
}

/** The newest value with its time, or undefined when there is none. */
export function lastValue(points: Points): { at: number; value: number } | undefined {
  for (let i = points.length - 1; i >= 0; i--) {
    const point = points[i];
    if (point && point[1] !== null) return { at: point[0], value: point[1] };
  }
  return undefined;
}

/** The middle value, by which one odd minute can't mislead. */
export function medianOf(points: Points): number | undefined {
  const values = points
    .map(([, value]) => value)
    .filter((v): v is number => v !== null && Number.isFinite(v))
    .sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)];
}

function* gapTimes(points: Points, maxGap: number): Generator<number> {
  let before: number | undefined;
  for (const [t, value] of points) {
    if (value === null) continue;
    if (before !== undefined && t - before > maxGap) yield (before + t) / 2;
    before = t;
  }
}

function rowOn(times: readonly number[], points: Points, maxGap: number): (number | null | undefined)[] {
  const values = new Map(points.filter(([, v]) => v !== null && Number.isFinite(v)).map(([t, v]) => [t, v]));
  const gaps = new Set(gapTimes(points, maxGap));
  const row: (number | null | undefined)[] = times.map((t) => values.get(t) ?? null);
  // Nulls break a line; a hole that is no gap is bridged, which uPlot does over undefined.
  let before = -1;
  for (let i = 0; i < times.length; i++) {
    if (typeof row[i] !== 'number') continue;
    const hole = before >= 0 && i - before > 1;
    const isGap = hole && times.slice(before + 1, i).some((t) => gaps.has(t));
    if (hole && !isGap) for (let j = before + 1; j < i; j++) row[j] = undefined;
    before = i;
  }
  return row;
}
