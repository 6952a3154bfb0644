import {
  type BucketSpan,
  type HistogramBuckets,
  type NativeHistogram,
  type ResetHint,
  staleHistogram,
} from '../../../model/index.ts';
import type { ProtoReader } from '../wire/index.ts';

/** A native histogram as a request brought it. */
export interface ReadHistogram {
  value: NativeHistogram;
  timeMs: number;
  /** NaN when not given. */
  startMs: number;
}

const RESET_HINTS: readonly ResetHint[] = ['unknown', 'yes', 'no', 'gauge'];
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/** Reads a Histogram message; remote write 1.0 and 2.0 number its fields alike. Throws DecodeError. */
export function readHistogram(reader: ProtoReader): ReadHistogram {
  let timeMs = 0;
  let startMs = Number.NaN;
  let stale = false;
  let isFloat = false;
  let count = 0;
  let sum = 0;
  let schema = 0;
  let zeroThreshold = 0;
  let zeroCount = 0;
  let resetHint: ResetHint = 'unknown';
  const customBounds: number[] = [];
  const positive = { spans: [] as BucketSpan[], deltas: [] as number[], counts: [] as number[] }; // given their types
  const negative = { spans: [] as BucketSpan[], deltas: [] as number[], counts: [] as number[] }; // given their types
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    const type = tag & 7;
    switch (tag >>> 3) {
      case 1:
        count = unsigned(reader, tag);
        isFloat = false;
        break;
      case 2:
        count = double(reader, tag);
        isFloat = true;
        break;
      case 3:
        stale = isStaleNext(reader, tag);
        sum = double(reader, tag);
        break;
      case 4:
        schema = zigzag(expect(reader, tag, VARINT).uint32());
        break;
      case 5:
        zeroThreshold = double(reader, tag);
        break;
      case 6:
        zeroCount = unsigned(reader, tag);
        break;
      case 7:
        zeroCount = double(reader, tag);
        break;
      case 8:
        negative.spans.push(readSpan(expect(reader, tag, BYTES)));
        break;
      case 9:
        packed(reader, type, VARINT, () => negative.deltas.push(signed(reader)));
        break;
      case 10:
        packed(reader, type, FIXED64, () => negative.counts.push(reader.double()));
        break;
      case 11:
        positive.spans.push(readSpan(expect(reader, tag, BYTES)));
        break;
      case 12:
        packed(reader, type, VARINT, () => positive.deltas.push(signed(reader)));
        break;
      case 13:
        packed(reader, type, FIXED64, () => positive.counts.push(reader.double()));
        break;
      case 14:
        resetHint = RESET_HINTS[expect(reader, tag, VARINT).uint32()] ?? 'unknown';
        break;
      case 15:
        timeMs = expect(reader, tag, VARINT).int64();
        break;
      case 16:
        packed(reader, type, FIXED64, () => customBounds.push(reader.double()));
        break;
      case 17: {
        const start = expect(reader, tag, VARINT).int64();
        if (start !== 0) startMs = start; // zero: not set
        break;
      }
      default:
        reader.skip(tag);
    }
  }
  const buckets = (side: typeof positive): HistogramBuckets => ({
    spans: side.spans,
    counts: isFloat ? side.counts : runningSums(side.deltas),
  });
  const value: NativeHistogram = stale
    ? { ...staleHistogram, integer: !isFloat }
    : {
        schema,
        integer: !isFloat,
        resetHint,
        stale: false,
        count,
        sum,
        zeroThreshold,
        zeroCount,
        positive: buckets(positive),
        negative: buckets(negative),
        customBounds,
      };
  return { value, timeMs, startMs };
}

function readSpan(reader: ProtoReader): BucketSpan {
  let offset = 0;
  let length = 0;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === 1 << 3) offset = zigzag(reader.uint32());
    else if (tag === 2 << 3) length = reader.uint32();
    else reader.skip(tag);
  }
  return { offset, length };
}

/** A repeated number, packed or one by one. */
function packed(reader: ProtoReader, type: number, itemType: number, read: () => void): void {
  if (type === itemType) {
    read();
    return;
  }
  if (type !== BYTES) reader.fail(`wire type ${type} of a repeated number`);
  for (const end = reader.length(); reader.more(end); ) read();
}

function expect(reader: ProtoReader, tag: number, type: number): ProtoReader {
  if ((tag & 7) !== type) reader.fail(`wire type ${tag & 7} of field ${tag >>> 3} of a histogram`);
  return reader;
}

function double(reader: ProtoReader, tag: number): number {
  return expect(reader, tag, FIXED64).double();
}

/** Beyond 2^53 the nearest double. */
function unsigned(reader: ProtoReader, tag: number): number {
  return Number(BigInt.asUintN(64, expect(reader, tag, VARINT).int64Exact()));
}

function signed(reader: ProtoReader): number {
  const at = reader.pos;
  const value = reader.int64();
  if (Number.isSafeInteger(value) && value >= 0) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  reader.pos = at;
  const exact = BigInt.asUintN(64, reader.int64Exact());
  return Number((exact >> 1n) ^ -(exact & 1n));
}

function zigzag(value: number): number {
  return (value >>> 1) ^ -(value & 1);
}

/** Looks at the bits that come next: the stale marker would not survive as a number. */
function isStaleNext(reader: ProtoReader, tag: number): boolean {
  const at = expect(reader, tag, FIXED64).pos;
  const stale = reader.fixed64() === 0x7ff0000000000002n;
  reader.pos = at;
  return stale;
}

function runningSums(deltas: readonly number[]): number[] {
  let sum = 0;
  return deltas.map((delta) => {
    sum += delta;
    return sum;
  });
}
