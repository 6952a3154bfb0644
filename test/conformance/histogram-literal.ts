import { type HistogramBuckets, type NativeHistogram, noBuckets, type ResetHint } from '../../src/model/index.ts';
import { combine } from '../../src/query/promql/histograms/index.ts';

const HINTS: Readonly<Record<string, ResetHint>> = {
  unknown: 'unknown',
  reset: 'yes',
  not_reset: 'no',
  gauge: 'gauge',
};

/** `{{schema:1 sum:2 count:3 buckets:[1 2] offset:-1 z_bucket:1 z_bucket_w:0.01}}` as promqltest writes native histograms. */
export function parseHistogram(text: string, line: number): NativeHistogram {
  const fields = new Map<string, string>();
  for (const [, name = '', value = ''] of text.slice(2, -2).matchAll(/(\w+):(\[[^\]]*\]|\S+)/g))
    fields.set(name, value);
  const number = (name: string) => {
    const value = numberOf(fields.get(name) ?? '0');
    if (value === undefined) throw new Error(`line ${line}: not a number: ${fields.get(name)}`);
    return value;
  };
  const list = (name: string) =>
    (fields.get(name) ?? '')
      .replace(/[[\]]/g, ' ')
      .split(/\s+/)
      .filter((item) => item !== '')
      .map((item) => numberOf(item) ?? Number.NaN);
  const side = (counts: readonly number[], offset: number): HistogramBuckets =>
    counts.length === 0 ? noBuckets : { spans: [{ offset, length: counts.length }], counts };
  return {
    schema: number('schema'),
    integer: false,
    resetHint: HINTS[fields.get('counter_reset_hint') ?? 'unknown'] ?? 'unknown',
    stale: false,
    count: number('count'),
    sum: number('sum'),
    zeroThreshold: number('z_bucket_w'),
    zeroCount: number('z_bucket'),
    positive: side(list('buckets'), number('offset')),
    negative: side(list('n_buckets'), number('n_offset')),
    customBounds: list('custom_values'),
  };
}

/** A histogram, and so many more, each the sum (or difference) of the one before and the increment. */
export function histogramSequence(
  first: NativeHistogram,
  increment: { histogram: NativeHistogram; sign: 1 | -1 } | undefined,
  times: number,
): NativeHistogram[] {
  const all = [first];
  for (let i = 1; i <= times; i++) {
    const before = all[i - 1] ?? first;
    all.push((increment && combine(before, increment.histogram, increment.sign)?.histogram) ?? before);
  }
  return all;
}

function numberOf(text: string): number | undefined {
  const match = /^([-+]?)(?:inf)$/i.exec(text);
  if (match) return match[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = Number(text);
  return Number.isNaN(value) ? undefined : value;
}
