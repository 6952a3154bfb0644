import { ProtoWriter } from '../wire/index.ts';

/** Messages of remote write as senders build them, for tests. */

export type Labels = Record<string, string>;
/** A value, or its bits. */
type Sample = readonly [value: number | bigint, timeMs: number, startMs?: number];

export const headersV1 = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
};

export const headersV2 = {
  'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '2.0.0',
};

function sampleMessage([value, timeMs, startMs]: Sample): ProtoWriter {
  const sample = new ProtoWriter();
  if (typeof value === 'bigint') sample.fixed64(1, value);
  else sample.double(1, value);
  sample.varint(2, BigInt(timeMs));
  return startMs === undefined ? sample : sample.varint(3, BigInt(startMs));
}

export function seriesV1(labels: Labels, samples: readonly Sample[]): ProtoWriter {
  const message = new ProtoWriter();
  for (const [name, value] of Object.entries(labels)) {
    message.bytes(1, new ProtoWriter().bytes(1, name).bytes(2, value));
  }
  for (const sample of samples) message.bytes(2, sampleMessage(sample));
  return message;
}

export function requestV1(...all: ProtoWriter[]): Buffer {
  const message = new ProtoWriter();
  for (const one of all) message.bytes(1, one);
  return message.finish();
}

export interface HistogramFields {
  count: number;
  /** Counts are floats. */
  float?: boolean;
  sum?: number | bigint;
  schema?: number;
  zeroCount?: number;
  spans?: readonly (readonly [offset: number, length: number])[];
  deltas?: readonly number[];
  counts?: readonly number[];
  bounds?: readonly number[];
  resetHint?: number;
  timeMs: number;
  startMs?: number;
}

const zigzag = (value: number) => (BigInt(value) * 2n) ^ (value < 0 ? -1n : 0n);

export function histogram(fields: HistogramFields): ProtoWriter {
  const message = new ProtoWriter();
  if (fields.float) message.double(2, fields.count).double(7, fields.zeroCount ?? 0);
  else message.varint(1, fields.count).varint(6, fields.zeroCount ?? 0);
  if (typeof fields.sum === 'bigint') message.fixed64(3, fields.sum);
  else message.double(3, fields.sum ?? 0);
  message.varint(4, zigzag(fields.schema ?? 0));
  for (const [offset, length] of fields.spans ?? []) {
    message.bytes(11, new ProtoWriter().varint(1, zigzag(offset)).varint(2, length));
  }
  if (fields.deltas) message.bytes(12, varints(fields.deltas.map(zigzag)));
  if (fields.counts) message.bytes(13, doubles(fields.counts));
  message.varint(14, fields.resetHint ?? 0).varint(15, BigInt(fields.timeMs));
  if (fields.bounds) message.bytes(16, doubles(fields.bounds));
  return fields.startMs === undefined ? message : message.varint(17, BigInt(fields.startMs));
}

function varints(values: readonly (number | bigint)[]): Buffer {
  // A field of one byte's tag, cut off, leaves the bare value.
  return Buffer.concat(values.map((value) => new ProtoWriter().varint(1, value).finish().subarray(1)));
}

function doubles(values: readonly number[]): Buffer {
  return Buffer.concat(values.map((value) => new ProtoWriter().double(1, value).finish().subarray(1)));
}

export interface SeriesV2 {
  labels: Labels;
  samples?: readonly Sample[];
  histograms?: readonly HistogramFields[];
  exemplars?: readonly { labels: Labels; value: number; timeMs: number }[];
  metadata?: { type: number; help: string; unit: string };
  createdMs?: number;
  /** Instead of the labels'. */
  refs?: readonly number[];
}

/** A request of version 2 with its table of symbols; `symbols` are put first. */
export function requestV2(all: readonly SeriesV2[], symbols: readonly string[] = ['']): Buffer {
  const table = [...symbols];
  const ref = (text: string) => {
    const known = table.indexOf(text);
    return known >= 0 ? known : table.push(text) - 1;
  };
  const refs = (labels: Labels) => Object.entries(labels).flat().map(ref);
  const messages = all.map((series) => {
    const message = new ProtoWriter().bytes(1, varints(series.refs ?? refs(series.labels)));
    for (const sample of series.samples ?? []) message.bytes(2, sampleMessage(sample));
    for (const fields of series.histograms ?? []) message.bytes(3, histogram(fields));
    for (const { labels, value, timeMs } of series.exemplars ?? []) {
      message.bytes(
        4,
        new ProtoWriter()
          .bytes(1, varints(refs(labels)))
          .double(2, value)
          .varint(3, BigInt(timeMs)),
      );
    }
    if (series.metadata) {
      const { type, help, unit } = series.metadata;
      message.bytes(5, new ProtoWriter().varint(1, type).varint(3, ref(help)).varint(4, ref(unit)));
    }
    return series.createdMs === undefined ? message : message.varint(6, BigInt(series.createdMs));
  });
  const request = new ProtoWriter();
  for (const text of table) request.bytes(4, text);
  for (const message of messages) request.bytes(5, message);
  return request.finish();
}

/** What both versions' good requests bring, in Prometheus' notation. */
export function goodLines(nowMs: number): string[] {
  return [
    `up{instance="a:9100", job="node"} 1 @${nowMs}`,
    `up{instance="b:9100", job="node"} 0 @${nowMs - 15_000}`,
    `up{instance="b:9100", job="node"} 1.5e-300 @${nowMs}`,
  ];
}
