import { type LabelSet, METRIC_NAME } from '../../../model/index.ts';
import { hashText, ValueSketch } from './value-sketch.ts';

/** The active series of one metric in one cluster. Series are new after the first two minutes: before, they were only not yet seen. */
export interface MetricEntry {
  cluster: string;
  metric: string;
  /** Series seen in this generation or the one before, and those of this one. */
  active: number;
  current: number;
  /** Those of the generation before that did not come again when it ended. */
  gone: number;
  firstMs: number;
  /** Samples refused by a limit. */
  refused: number;
  /** New series per ten minutes, a ring of seven; made with the first. */
  fresh: Uint32Array | undefined;
  freshBucket: number;
  /** The labels of the first series, until there are enough for sketches. */
  first: LabelSet[] | undefined;
  labels: Map<string, LabelValues> | undefined;
}

interface LabelValues {
  now: ValueSketch;
  before: ValueSketch | undefined;
  /** The last few values that were seen. */
  examples: string[];
}

const WARM_UP_MS = 2 * 60_000;
const BUCKET_MS = 10 * 60_000;
const BUCKETS = 7;
const HOUR_MS = 3_600_000;
const LEAST_WATCHED_MS = 5 * 60_000;
const MAX_LABELS = 100;
const EXAMPLES = 3;
const EXAMPLE_LENGTH = 120;

export function newEntry(cluster: string, metric: string, nowMs: number): MetricEntry {
  return {
    cluster,
    metric,
    active: 0,
    current: 0,
    gone: 0,
    firstMs: nowMs,
    refused: 0,
    fresh: undefined,
    freshBucket: 0,
    first: [],
    labels: undefined,
  };
}

/** A series that was active in neither generation. */
export function noteNewSeries(entry: MetricEntry, nowMs: number): void {
  if (nowMs < entry.firstMs + WARM_UP_MS) return;
  const fresh = rollTo(entry, Math.floor(nowMs / BUCKET_MS));
  fresh[entry.freshBucket % BUCKETS] = (fresh[entry.freshBucket % BUCKETS] ?? 0) + 1;
}

function rollTo(entry: MetricEntry, bucket: number): Uint32Array {
  entry.fresh ??= new Uint32Array(BUCKETS);
  for (let next = Math.max(entry.freshBucket + 1, bucket - BUCKETS + 1); next <= bucket; next++)
    entry.fresh[next % BUCKETS] = 0;
  entry.freshBucket = Math.max(bucket, entry.freshBucket);
  return entry.fresh;
}

/** New series per hour, over the last hour or what there is of it since the metric came up. */
export function churnPerHour(entry: MetricEntry, nowMs: number): number {
  if (entry.fresh === undefined) return 0;
  const fresh = rollTo(entry, Math.floor(nowMs / BUCKET_MS));
  const sum = fresh.reduce((total, count) => total + count, 0);
  const window = (BUCKETS - 1) * BUCKET_MS + (nowMs % BUCKET_MS);
  const watched = Math.min(window, Math.max(LEAST_WATCHED_MS, nowMs - entry.firstMs - WARM_UP_MS));
  return (sum * HOUR_MS) / watched;
}

/** By how much active series rise in an hour: new ones less those that were gone when the last generation of an hour ended. */
export function growthPerHour(entry: MetricEntry, nowMs: number): number {
  return churnPerHour(entry, nowMs) - entry.gone;
}

/** Makes sketches, first of the series whose labels were kept. */
export function startSketches(entry: MetricEntry): void {
  entry.labels = new Map();
  for (const labels of entry.first ?? []) sketch(entry.labels, labels);
  entry.first = undefined;
}

/** Notes the labels of a series when it is seen for the first time in a generation. */
export function noteLabels(entry: MetricEntry, labels: LabelSet): void {
  if (entry.labels !== undefined) sketch(entry.labels, labels);
  else entry.first?.push(labels);
}

function sketch(values: Map<string, LabelValues>, labels: LabelSet): void {
  for (let i = 0; i < labels.length; i += 2) {
    const name = labels[i] ?? '';
    if (name === METRIC_NAME) continue;
    let known = values.get(name);
    if (known === undefined) {
      if (values.size >= MAX_LABELS) continue;
      known = { now: new ValueSketch(), before: undefined, examples: [] };
      values.set(name, known);
    }
    const value = labels[i + 1] ?? '';
    known.now.add(hashText(value));
    if (known.examples.length < EXAMPLES && !known.examples.includes(value)) known.examples.push(value);
  }
}

export function endGeneration(entry: MetricEntry): void {
  entry.gone = entry.active - entry.current;
  entry.active = entry.current;
  entry.current = 0;
  if (entry.first !== undefined) entry.first = [];
  for (const [name, values] of entry.labels ?? []) {
    if (values.now.count() === 0) entry.labels?.delete(name);
    values.before = values.now;
    values.now = new ValueSketch();
    values.examples = values.examples.slice(0, 1);
  }
}

export interface LabelCount {
  name: string;
  values: number;
  examples: string[];
  sketch: ValueSketch;
}

/** The labels of a metric, those with the most values first. */
export function labelCounts(entry: MetricEntry): LabelCount[] {
  const values = entry.labels ?? new Map<string, LabelValues>();
  for (const labels of entry.labels === undefined ? (entry.first ?? []) : []) sketch(values, labels);
  return [...values]
    .map(([name, { now, before, examples }]) => {
      const both = new ValueSketch();
      both.merge(now);
      if (before !== undefined) both.merge(before);
      return { name, values: both.count(), examples: examples.map(cutExample), sketch: both };
    })
    .sort((a, b) => b.values - a.values || (a.name < b.name ? -1 : 1));
}

function cutExample(value: string): string {
  return value.length > EXAMPLE_LENGTH ? `${value.slice(0, EXAMPLE_LENGTH)}…` : value;
}

/** The label that makes the metric explode: the one with the most values, if these are a tenth of its series or more. */
export function explodingLabel(entry: MetricEntry): string {
  const [most] = labelCounts(entry);
  return most !== undefined && most.values > 1 && most.values >= entry.active / 10 ? most.name : '';
}
