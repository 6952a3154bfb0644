import { ProtoWriter } from '../wire/index.ts';

/** Builders of OTLP requests in protobuf, for tests and benches: small enough to read beside the specification. */

export type Plain = string | number | bigint | boolean | Plain[] | { [key: string]: Plain };

export function anyValue(value: Plain): ProtoWriter {
  const message = new ProtoWriter();
  if (typeof value === 'string') return message.bytes(1, value);
  if (typeof value === 'boolean') return message.varint(2, value ? 1 : 0);
  if (typeof value === 'bigint') return message.varint(3, value);
  if (typeof value === 'number') return message.double(4, value);
  const list = new ProtoWriter();
  if (Array.isArray(value)) {
    for (const item of value) list.bytes(1, anyValue(item));
    return message.bytes(5, list);
  }
  return message.bytes(6, keyValues(1, value));
}

export function keyValues(field: number, attributes: Record<string, Plain>, into = new ProtoWriter()): ProtoWriter {
  for (const [key, value] of Object.entries(attributes)) {
    into.bytes(field, new ProtoWriter().bytes(1, key).bytes(2, anyValue(value)));
  }
  return into;
}

/** A whole export request: one resource, one scope. */
export function exportRequest(resource: Record<string, Plain>, items: ProtoWriter[]): Buffer {
  const scope = new ProtoWriter().bytes(1, new ProtoWriter().bytes(1, 'lib').bytes(2, '1.0'));
  for (const item of items) scope.bytes(2, item);
  return new ProtoWriter().bytes(1, new ProtoWriter().bytes(1, keyValues(1, resource)).bytes(2, scope)).finish();
}

export interface PlainSpan {
  traceId: string;
  spanId: string;
  parent?: string;
  name: string;
  kind?: number;
  startNs: bigint;
  endNs: bigint;
  attributes?: Record<string, Plain>;
  status?: { code: number; message: string };
}

export function span(plain: PlainSpan): ProtoWriter {
  const message = new ProtoWriter()
    .bytes(1, Buffer.from(plain.traceId, 'hex'))
    .bytes(2, Buffer.from(plain.spanId, 'hex'))
    .bytes(4, Buffer.from(plain.parent ?? '', 'hex'))
    .bytes(5, plain.name)
    .varint(6, plain.kind ?? 0)
    .fixed64(7, plain.startNs)
    .fixed64(8, plain.endNs);
  keyValues(9, plain.attributes ?? {}, message);
  if (plain.status) message.bytes(15, new ProtoWriter().bytes(2, plain.status.message).varint(3, plain.status.code));
  return message;
}

export function logRecord(timeNs: bigint, body: Plain, attributes: Record<string, Plain> = {}): ProtoWriter {
  return keyValues(
    6,
    attributes,
    new ProtoWriter().fixed64(1, timeNs).varint(2, 9).bytes(3, 'INFO').bytes(5, anyValue(body)),
  );
}

export function numberPoint(
  timeNs: bigint,
  value: number | bigint,
  attributes: Record<string, Plain> = {},
  flags = 0,
): ProtoWriter {
  const point = new ProtoWriter().fixed64(3, timeNs);
  if (typeof value === 'bigint') point.fixed64(6, value);
  else point.double(4, value);
  return keyValues(7, attributes, point.varint(8, flags));
}

export function metric(name: string, unit: string, dataField: number, data: ProtoWriter): ProtoWriter {
  return new ProtoWriter().bytes(1, name).bytes(2, `about ${name}`).bytes(3, unit).bytes(dataField, data);
}

export function gauge(name: string, unit: string, ...points: ProtoWriter[]): ProtoWriter {
  const data = new ProtoWriter();
  for (const point of points) data.bytes(1, point);
  return metric(name, unit, 5, data);
}

/** Temporality: 1 delta, 2 cumulative. */
export function sum(
  name: string,
  unit: string,
  temporality: number,
  monotonic: boolean,
  ...points: ProtoWriter[]
): ProtoWriter {
  const data = new ProtoWriter();
  for (const point of points) data.bytes(1, point);
  return metric(name, unit, 7, data.varint(2, temporality).varint(3, monotonic ? 1 : 0));
}

export function histogram(
  name: string,
  unit: string,
  temporality: number,
  ...points: {
    timeNs: bigint;
    count: bigint;
    sum: number;
    counts: bigint[];
    bounds: number[];
    attributes?: Record<string, Plain>;
    exemplars?: ProtoWriter[];
  }[]
): ProtoWriter {
  const data = new ProtoWriter();
  for (const { timeNs, count, sum: total, counts, bounds, attributes = {}, exemplars = [] } of points) {
    const packedCounts = Buffer.alloc(counts.length * 8);
    counts.forEach((value, i) => {
      packedCounts.writeBigUInt64LE(value, i * 8);
    });
    const packedBounds = Buffer.alloc(bounds.length * 8);
    bounds.forEach((value, i) => {
      packedBounds.writeDoubleLE(value, i * 8);
    });
    const point = new ProtoWriter()
      .fixed64(3, timeNs)
      .fixed64(4, count)
      .double(5, total)
      .bytes(6, packedCounts)
      .bytes(7, packedBounds);
    for (const one of exemplars) point.bytes(8, one);
    data.bytes(1, keyValues(9, attributes, point));
  }
  return metric(name, unit, 9, data.varint(2, temporality));
}

export function summary(
  name: string,
  unit: string,
  timeNs: bigint,
  count: bigint,
  total: number,
  quantiles: [number, number][],
): ProtoWriter {
  const point = new ProtoWriter().fixed64(3, timeNs).fixed64(4, count).double(5, total);
  for (const [quantile, value] of quantiles) point.bytes(6, new ProtoWriter().double(1, quantile).double(2, value));
  return metric(name, unit, 11, new ProtoWriter().bytes(1, point));
}

export interface PlainExponential {
  timeNs: bigint;
  startNs?: bigint;
  count: bigint;
  sum?: number;
  scale: number;
  zeroCount?: bigint;
  zeroThreshold?: number;
  positive?: { offset: number; counts: (number | bigint)[] };
  negative?: { offset: number; counts: (number | bigint)[] };
  exemplars?: ProtoWriter[];
  attributes?: Record<string, Plain>;
}

export function exponential(
  name: string,
  unit: string,
  temporality: number,
  ...points: PlainExponential[]
): ProtoWriter {
  const data = new ProtoWriter();
  for (const plain of points) {
    const point = keyValues(1, plain.attributes ?? {})
      .fixed64(2, plain.startNs ?? 0n)
      .fixed64(3, plain.timeNs)
      .fixed64(4, plain.count)
      .varint(6, zigzag(plain.scale))
      .fixed64(7, plain.zeroCount ?? 0n);
    if (plain.sum !== undefined) point.double(5, plain.sum);
    for (const [field, side] of [
      [8, plain.positive],
      [9, plain.negative],
    ] as const) {
      if (side === undefined) continue;
      const buckets = new ProtoWriter().varint(1, zigzag(side.offset));
      for (const count of side.counts) buckets.varint(2, count);
      point.bytes(field, buckets);
    }
    for (const one of plain.exemplars ?? []) point.bytes(11, one);
    if (plain.zeroThreshold !== undefined) point.double(14, plain.zeroThreshold);
    data.bytes(1, point);
  }
  return metric(name, unit, 10, data.varint(2, temporality));
}

export function exemplar(value: number, ids: { traceId?: string; spanId?: string } = {}, timeNs = 0n): ProtoWriter {
  return new ProtoWriter()
    .fixed64(2, timeNs)
    .double(3, value)
    .bytes(4, Buffer.from(ids.spanId ?? '', 'hex'))
    .bytes(5, Buffer.from(ids.traceId ?? '', 'hex'));
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}
