import type { BucketSpan, HistogramBuckets } from '../../../model/index.ts';

/** Populated buckets of one side by their index, in rising order; nothing between them. */
export interface SparseBuckets {
  readonly indexes: readonly number[];
  readonly counts: readonly number[];
}

/** Buckets without the empty ones. */
export function toSparse({ spans, counts }: HistogramBuckets): SparseBuckets {
  const indexes: number[] = [];
  const kept: number[] = [];
  let index = 0;
  let next = 0;
  for (const { offset, length } of spans) {
    index += offset;
    for (let i = 0; i < length; i++, index++) {
      const count = counts[next++] ?? 0;
      if (count === 0) continue;
      indexes.push(index);
      kept.push(count);
    }
  }
  return { indexes, counts: kept };
}

/** Runs of neighbours become spans; empty buckets go. */
export function fromSparse({ indexes, counts }: SparseBuckets): HistogramBuckets {
  const spans: BucketSpan[] = [];
  const kept: number[] = [];
  let offset = 0;
  let length = 0;
  let end = 0;
  for (const [i, index] of indexes.entries()) {
    const count = counts[i] ?? 0;
    if (count === 0) continue;
    if (length > 0 && index === end) length++;
    else {
      if (length > 0) spans.push({ offset, length });
      offset = kept.length === 0 ? index : index - end;
      length = 1;
    }
    end = index + 1;
    kept.push(count);
  }
  if (length > 0) spans.push({ offset, length });
  return { spans, counts: kept };
}

/** Bucket by bucket `a + sign * b`. */
export function addSparse(a: SparseBuckets, b: SparseBuckets, sign: 1 | -1): SparseBuckets {
  const indexes: number[] = [];
  const counts: number[] = [];
  for (let i = 0, j = 0; i < a.indexes.length || j < b.indexes.length; ) {
    const left = a.indexes[i] ?? Number.POSITIVE_INFINITY;
    const right = b.indexes[j] ?? Number.POSITIVE_INFINITY;
    const index = Math.min(left, right);
    let count = 0;
    if (left === index) count += a.counts[i++] ?? 0;
    if (right === index) count += sign * (b.counts[j++] ?? 0);
    indexes.push(index);
    counts.push(count);
  }
  return { indexes, counts };
}

/** Every index mapped by a function that never falls; what meets in one bucket is added up. */
export function mapIndexes({ indexes, counts }: SparseBuckets, to: (index: number) => number): SparseBuckets {
  const mapped: number[] = [];
  const sums: number[] = [];
  for (const [i, index] of indexes.entries()) {
    const target = to(index);
    const last = mapped.length - 1;
    if (mapped[last] === target) sums[last] = (sums[last] ?? 0) + (counts[i] ?? 0);
    else {
      mapped.push(target);
      sums.push(counts[i] ?? 0);
    }
  }
  return { indexes: mapped, counts: sums };
}
