import type { LabelSet, NativeHistogram } from '../../../model/index.ts';

/** The times an expression is evaluated at: `startMs + i * stepMs` for `i` in `[0, steps)`. */
export interface Points {
  startMs: number;
  stepMs: number;
  steps: number;
}

export type Value = ScalarValue | StringValue | VectorValue;

/** One number per point. */
export interface ScalarValue {
  kind: 'scalar';
  values: Float64Array;
}

export interface StringValue {
  kind: 'string';
  value: string;
}

export interface VectorValue {
  kind: 'vector';
  rows: Row[];
  /** The rows are in an order that was asked for (`sort`, `topk`), which an instant query keeps. */
  ordered?: boolean;
}

/** One element of an instant vector at every point; where `present` is zero there is none and the value means nothing. */
export interface Row {
  labels: LabelSet;
  /** The name is to be dropped once the whole expression is evaluated; see `names.ts`. */
  dropName: boolean;
  values: Float64Array;
  present: Uint8Array;
  /** Where there is one, the element is a native histogram and its number means nothing. */
  histograms?: Histograms;
}

/** By point or by sample; left out altogether when there are only numbers. */
export type Histograms = (NativeHistogram | undefined)[];

export interface RangeValue {
  rows: SampleRow[];
  /** The windows are `(endMs(i) - rangeMs, endMs(i)]`. */
  rangeMs: number;
  endMs: (step: number) => number;
  /** All windows are the same one, since `@` says when. */
  fixed: boolean;
}

/** Samples of one series in order of time, without stale markers. */
export interface SampleRow {
  labels: LabelSet;
  dropName: boolean;
  timesMs: Float64Array;
  values: Float64Array;
  /** Samples that are native histograms. */
  histograms?: Histograms;
}

export function emptyRow(labels: LabelSet, dropName: boolean, steps: number): Row {
  return { labels, dropName, values: new Float64Array(steps), present: new Uint8Array(steps) };
}

/** The row with other numbers, all of its elements being numbers now. */
export function withNumbers({ labels, dropName, present }: Row, values: Float64Array): Row {
  return { labels, dropName, values, present };
}

/** The row without its native histograms, which most functions say nothing about. */
export function onlyNumbers(row: Row): Row {
  const { histograms } = row;
  if (histograms === undefined) return row;
  const present = row.present.map((is, step) => (is && histograms[step] === undefined ? 1 : 0));
  return { labels: row.labels, dropName: row.dropName, values: row.values, present };
}

/** Whether the row has a native histogram at any point. */
export function hasHistograms({ histograms, present }: Row): boolean {
  return histograms?.some((histogram, step) => histogram !== undefined && present[step] === 1) ?? false;
}

/** The element at a point where there is one. */
export function elementAt(row: Row, step: number): number | NativeHistogram {
  return row.histograms?.[step] ?? row.values[step] ?? 0;
}

/** Sets the element at a point. */
export function setElement(row: Row, step: number, element: number | NativeHistogram): void {
  row.present[step] = 1;
  if (typeof element === 'number') row.values[step] = element;
  else {
    row.histograms ??= new Array(row.values.length);
    row.histograms[step] = element;
  }
}

export function timeOf(points: Points, step: number): number {
  return points.startMs + step * points.stepMs;
}

export function lastTime(points: Points): number {
  return timeOf(points, points.steps - 1);
}

export function isEmpty(row: Row): boolean {
  return !row.present.includes(1);
}

export function vector(rows: Row[]): VectorValue {
  return { kind: 'vector', rows };
}

/** Marks in `marks` the points at which the row has an element. */
export function mark(marks: Uint8Array, row: Row): void {
  for (let step = 0; step < marks.length; step++) if (row.present[step]) marks[step] = 1;
}

/** Takes the marks off where the row has an element. */
export function unmark(marks: Uint8Array, row: Row): void {
  for (let step = 0; step < marks.length; step++) if (row.present[step]) marks[step] = 0;
}
