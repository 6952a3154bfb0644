import { type LabelSet, labelPairs } from '../../model/index.ts';

/** Samples of one series in the order of their times. Columns may be longer than `length`. */
export interface SampleRun {
  /** The label part of the series, from `encodeLabels`. */
  labels: Uint8Array;
  /** Any number that is always the same for one series: those with one number are delivered in order. */
  shard: number;
  times: Float64Array;
  /** Bits are kept, so stale markers survive. */
  values: Float64Array;
  length: number;
}

/** The labels of a series as repeated field 1 of prometheus.TimeSeries (remote write 1.0). */
export function encodeLabels(labels: LabelSet): Uint8Array {
  const parts: Buffer[] = [];
  for (const [name, value] of labelPairs(labels)) {
    const label = Buffer.concat([textField(0x0a, name), textField(0x12, value)]);
    parts.push(Buffer.from([0x0a, ...varint(label.length)]), label);
  }
  return Buffer.concat(parts);
}

/** prometheus.WriteRequest with a TimeSeries per run, before compression. */
export function encodeWriteRequest(runs: readonly SampleRun[]): Buffer {
  const bodies = runs.map((run) => run.labels.length + samplesLength(run));
  const total = bodies.reduce((sum, length) => sum + 1 + varintLength(length) + length, 0);
  const out = Buffer.allocUnsafe(total);
  let at = 0;
  for (const [i, run] of runs.entries()) {
    out[at++] = 0x0a;
    at = writeVarint(out, at, bodies[i] ?? 0);
    out.set(run.labels, at);
    at = writeSamples(out, at + run.labels.length, run);
  }
  return out;
}

function samplesLength(run: SampleRun): number {
  let total = 0;
  for (let i = 0; i < run.length; i++) total += 12 + varintLength(run.times[i] ?? 0);
  return total;
}

/** Field 2 of TimeSeries: Sample { double value = 1; int64 timestamp = 2 }. Times before 1970 do not occur here. */
function writeSamples(out: Buffer, start: number, run: SampleRun): number {
  const bits = new Uint8Array(run.values.buffer, run.values.byteOffset, run.values.byteLength);
  let at = start;
  for (let i = 0; i < run.length; i++) {
    const time = run.times[i] ?? 0;
    out[at++] = 0x12;
    out[at++] = 10 + varintLength(time);
    out[at++] = 0x09;
    for (let b = 0; b < 8; b++) out[at++] = bits[i * 8 + b] ?? 0;
    out[at++] = 0x10;
    at = writeVarint(out, at, time);
  }
  return at;
}

function textField(tag: number, text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([Buffer.from([tag, ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  const out = Buffer.allocUnsafe(10);
  return [...out.subarray(0, writeVarint(out, 0, value))];
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
  return length;
}

function writeVarint(out: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest >= 128) {
    out[at++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  out[at++] = rest;
  return at;
}
