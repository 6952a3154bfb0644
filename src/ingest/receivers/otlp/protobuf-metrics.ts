import type { AttributeValue } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { DecodeError, ProtoReader } from '../wire/index.ts';
import {
  createInvalid,
  type DecodedMetrics,
  type ExponentialBuckets,
  type ExponentialPoint,
  type HistogramPoint,
  judgeBounds,
  type MetricData,
  NO_EXEMPLARS,
  NO_NUMBER,
  type NumberPoint,
  type RawExemplar,
  type ResourceMetric,
  type SummaryPoint,
  TEMPORALITIES,
  type Temporality,
  validSpanId,
  validTraceId,
} from './decoded.ts';
import { MAX_ATTRIBUTES, MAX_BUCKETS, MAX_EXEMPLARS } from './limits.ts';
import {
  bytesField,
  eachItem,
  endWithin,
  fixed64Field,
  readKeyValue,
  reasonOf,
  varintField,
} from './protobuf-common.ts';

/** Decodes `ExportMetricsServiceRequest`. Damaged metrics are left out; bytes that are no request throw DecodeError. */
export async function decodeMetricsProtobuf(body: Buffer): Promise<DecodedMetrics> {
  const reader = new ProtoReader(body);
  const metrics: ResourceMetric[] = [];
  const invalid = createInvalid();
  await eachItem(
    reader,
    invalid,
    function* (resource, scope) {
      metrics.push({ resource, scope, ...(yield* readMetric(reader, invalid)) });
    },
    createTurns(),
  );
  return { metrics, invalid };
}

type Collector = ReturnType<typeof createInvalid>;

function* readMetric(
  reader: ProtoReader,
  invalid: Collector,
): Generator<void, Omit<ResourceMetric, 'resource' | 'scope'>> {
  const metric = { name: '', description: '', unit: '', data: { kind: 'none' } as MetricData }; // narrowed below
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    switch (tag) {
      case bytesField(1):
        metric.name = reader.string();
        break;
      case bytesField(2):
        metric.description = reader.string();
        break;
      case bytesField(3):
        metric.unit = reader.string();
        break;
      case bytesField(5):
        metric.data = { kind: 'gauge', points: (yield* readData(reader, invalid, readNumber)).points };
        break;
      case bytesField(7):
        metric.data = { kind: 'sum', ...(yield* readData(reader, invalid, readNumber)) };
        break;
      case bytesField(9):
        metric.data = { kind: 'histogram', ...(yield* readData(reader, invalid, readHistogram)) };
        break;
      case bytesField(10):
        metric.data = { kind: 'exponential-histogram', ...(yield* readData(reader, invalid, readExponential)) };
        break;
      case bytesField(11):
        metric.data = { kind: 'summary', points: (yield* readData(reader, invalid, readSummary)).points };
        break;
      default:
        reader.skip(tag);
    }
  }
  return metric;
}

/** Points in field 1, temporality in 2, monotonic in 3. Yields where a metric with very many points may pause. */
function* readData<T>(reader: ProtoReader, invalid: Collector, point: (reader: ProtoReader) => T) {
  const points: T[] = [];
  let temporality: Temporality = 'unspecified';
  let monotonic = false;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === bytesField(1)) {
      readPoint(reader, end, point, points, invalid);
      if (points.length % 256 === 0) yield;
    } else if (tag === varintField(2)) temporality = TEMPORALITIES[reader.uint32()] ?? 'unspecified';
    else if (tag === varintField(3)) monotonic = reader.bool();
    else reader.skip(tag);
  }
  return { points, temporality, monotonic };
}

/** A damaged point is left out alone. */
function readPoint<T>(
  reader: ProtoReader,
  end: number,
  point: (reader: ProtoReader) => T,
  into: T[],
  invalid: Collector,
): void {
  const at = reader.pos;
  const pointEnd = endWithin(reader, end);
  reader.resume(at);
  try {
    into.push(point(reader));
  } catch (error) {
    invalid.add(`data point at byte ${at}: ${reasonOf(error)}`);
    reader.resume(pointEnd);
  }
}

/** Attributes tell series apart, so none may be left out. */
function readLabel(reader: ProtoReader, into: Map<string, AttributeValue>): void {
  if (readKeyValue(reader, into) > 0) reader.fail(`a point with more than ${MAX_ATTRIBUTES} attributes`);
}

function readNumber(reader: ProtoReader): NumberPoint {
  const attributes = new Map<string, AttributeValue>();
  const point: NumberPoint = {
    attributes,
    startNs: 0n,
    timeNs: 0n,
    noValue: false,
    value: 0,
    exemplars: NO_EXEMPLARS,
  };
  let exemplars: RawExemplar[] | undefined;
  let isGiven = false;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    switch (tag) {
      case fixed64Field(2):
        point.startNs = reader.fixed64();
        break;
      case fixed64Field(3):
        point.timeNs = reader.fixed64();
        break;
      case fixed64Field(4):
        point.value = reader.double();
        isGiven = true;
        break;
      case bytesField(5):
        exemplars ??= [];
        addExemplar(reader, exemplars);
        break;
      case fixed64Field(6):
        point.value = Number(reader.sfixed64());
        isGiven = true;
        break;
      case bytesField(7):
        readLabel(reader, attributes);
        break;
      case varintField(8):
        point.noValue = (reader.uint32() & 1) === 1;
        break;
      default:
        reader.skip(tag);
    }
  }
  if (!isGiven && !point.noValue) throw new DecodeError(NO_NUMBER);
  if (exemplars !== undefined) point.exemplars = exemplars;
  return point;
}

/** What points of histograms and summaries begin with; whether the field is part of that. */
function readHead(
  reader: ProtoReader,
  tag: number,
  point: { startNs: bigint; timeNs: bigint; count: number; sum: number | undefined },
): boolean {
  if (tag === fixed64Field(2)) point.startNs = reader.fixed64();
  else if (tag === fixed64Field(3)) point.timeNs = reader.fixed64();
  else if (tag === fixed64Field(4)) point.count = Number(reader.fixed64());
  else if (tag === fixed64Field(5)) point.sum = reader.double();
  else return false;
  return true;
}

function readHistogram(reader: ProtoReader): HistogramPoint {
  const attributes = new Map<string, AttributeValue>();
  const exemplars: RawExemplar[] = [];
  const point: HistogramPoint = {
    attributes,
    startNs: 0n,
    timeNs: 0n,
    noValue: false,
    count: 0,
    sum: undefined,
    bucketCounts: [],
    bounds: [],
    exemplars,
  };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    switch (tag) {
      case bytesField(6):
        for (const listEnd = listLength(reader, 8); reader.more(listEnd); ) {
          point.bucketCounts.push(Number(reader.fixed64()));
        }
        break;
      case fixed64Field(6):
        point.bucketCounts.push(Number(reader.fixed64()));
        break;
      case bytesField(7):
        for (const listEnd = listLength(reader, 8); reader.more(listEnd); ) point.bounds.push(reader.double());
        break;
      case fixed64Field(7):
        point.bounds.push(reader.double());
        break;
      case bytesField(8):
        addExemplar(reader, exemplars);
        break;
      case bytesField(9):
        readLabel(reader, attributes);
        break;
      case varintField(10):
        point.noValue = (reader.uint32() & 1) === 1;
        break;
      default:
        if (!readHead(reader, tag, point)) reader.skip(tag);
    }
  }
  const problem = judgeBounds(point.bounds);
  if (problem !== undefined) throw new DecodeError(problem);
  return point;
}

/** The length of a list whose elements take at least `size` bytes each. */
function listLength(reader: ProtoReader, size: number): number {
  const at = reader.pos;
  const end = reader.length();
  if (end - reader.pos > MAX_BUCKETS * size) reader.fail(`a histogram of more than ${MAX_BUCKETS} buckets`, at);
  return end;
}

function readExponential(reader: ProtoReader): ExponentialPoint {
  const attributes = new Map<string, AttributeValue>();
  const exemplars: RawExemplar[] = [];
  const point: ExponentialPoint = {
    attributes,
    startNs: 0n,
    timeNs: 0n,
    noValue: false,
    count: 0,
    sum: undefined,
    scale: 0,
    zeroCount: 0,
    zeroThreshold: 0,
    positive: { offset: 0, counts: [] },
    negative: { offset: 0, counts: [] },
    exemplars,
  };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    switch (tag) {
      case bytesField(1):
        readLabel(reader, attributes);
        break;
      case varintField(6):
        point.scale = reader.sint32();
        break;
      case fixed64Field(7):
        point.zeroCount = Number(reader.fixed64());
        break;
      case bytesField(8):
        point.positive = readBuckets(reader);
        break;
      case bytesField(9):
        point.negative = readBuckets(reader);
        break;
      case varintField(10):
        point.noValue = (reader.uint32() & 1) === 1;
        break;
      case bytesField(11):
        addExemplar(reader, exemplars);
        break;
      case fixed64Field(14):
        point.zeroThreshold = reader.double();
        break;
      default:
        if (!readHead(reader, tag, point)) reader.skip(tag);
    }
  }
  return point;
}

function readBuckets(reader: ProtoReader): ExponentialBuckets {
  const buckets: ExponentialBuckets = { offset: 0, counts: [] };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === varintField(1)) buckets.offset = reader.sint32();
    else if (tag === bytesField(2)) {
      for (const listEnd = listLength(reader, 10); reader.more(listEnd); ) buckets.counts.push(reader.uint64());
    } else if (tag === varintField(2)) buckets.counts.push(reader.uint64());
    else reader.skip(tag);
  }
  if (buckets.counts.length > MAX_BUCKETS) reader.fail(`a histogram of more than ${MAX_BUCKETS} buckets`);
  return buckets;
}

function addExemplar(reader: ProtoReader, exemplars: RawExemplar[]): void {
  if (exemplars.length < MAX_EXEMPLARS) exemplars.push(readExemplar(reader));
  else reader.pos = reader.length();
}

function readExemplar(reader: ProtoReader): RawExemplar {
  const attributes = new Map<string, AttributeValue>();
  const exemplar: RawExemplar = { timeNs: 0n, value: 0, traceId: '', spanId: '', attributes };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === fixed64Field(2)) exemplar.timeNs = reader.fixed64();
    else if (tag === fixed64Field(3)) exemplar.value = reader.double();
    else if (tag === bytesField(4)) exemplar.spanId = validSpanId(reader.hex());
    else if (tag === bytesField(5)) exemplar.traceId = validTraceId(reader.hex());
    else if (tag === fixed64Field(6)) exemplar.value = Number(reader.sfixed64());
    else if (tag === bytesField(7)) readKeyValue(reader, attributes);
    else reader.skip(tag);
  }
  return exemplar;
}

function readSummary(reader: ProtoReader): SummaryPoint {
  const attributes = new Map<string, AttributeValue>();
  const point: SummaryPoint = { attributes, startNs: 0n, timeNs: 0n, noValue: false, count: 0, sum: 0, quantiles: [] };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    switch (tag) {
      case bytesField(6):
        point.quantiles.push(readQuantile(reader));
        break;
      case bytesField(7):
        readLabel(reader, attributes);
        break;
      case varintField(8):
        point.noValue = (reader.uint32() & 1) === 1;
        break;
      default:
        if (!readHead(reader, tag, point)) reader.skip(tag);
    }
  }
  return point;
}

function readQuantile(reader: ProtoReader): { quantile: number; value: number } {
  const at = { quantile: 0, value: 0 };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === fixed64Field(1)) at.quantile = reader.double();
    else if (tag === fixed64Field(2)) at.value = reader.double();
    else reader.skip(tag);
  }
  return at;
}
