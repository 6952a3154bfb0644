import type { AttributeValue } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { ProtoReader } from '../wire/index.ts';
import {
  createInvalid,
  type DecodedMetrics,
  type HistogramPoint,
  type MetricData,
  type NumberPoint,
  type ResourceMetric,
  type SummaryPoint,
  TEMPORALITIES,
  type Temporality,
} from './decoded.ts';
import { bytesField, eachItem, fixed64Field, readKeyValue, varintField } from './protobuf-common.ts';

/** Decodes `ExportMetricsServiceRequest`; bad bytes throw DecodeError. */
export async function decodeMetricsProtobuf(body: Buffer): Promise<DecodedMetrics> {
  const reader = new ProtoReader(body);
  const metrics: ResourceMetric[] = [];
  const turns = createTurns();
  await eachItem(
    reader,
    (resource, scope) => metrics.push({ resource, scope, ...readMetric(reader) }),
    () => (metrics.length % 32 === 31 && turns.over() ? turns.next() : undefined),
  );
  return { metrics, invalid: createInvalid() };
}

function readMetric(reader: ProtoReader): Omit<ResourceMetric, 'resource' | 'scope'> {
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
        metric.data = { kind: 'gauge', points: readData(reader, readNumber).points };
        break;
      case bytesField(7):
        metric.data = { kind: 'sum', ...readData(reader, readNumber) };
        break;
      case bytesField(9):
        metric.data = { kind: 'histogram', ...readData(reader, readHistogram) };
        break;
      case bytesField(10):
        metric.data = { kind: 'exponential-histogram', count: readData(reader, passOver).points.length };
        break;
      case bytesField(11):
        metric.data = { kind: 'summary', points: readData(reader, readSummary).points };
        break;
      default:
        reader.skip(tag);
    }
  }
  return metric;
}

/** Gauge, Sum, Histogram, Summary: points in field 1, temporality in 2, monotonic in 3. */
function readData<T>(reader: ProtoReader, point: (reader: ProtoReader) => T) {
  const points: T[] = [];
  let temporality: Temporality = 'unspecified';
  let monotonic = false;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === bytesField(1)) points.push(point(reader));
    else if (tag === varintField(2)) temporality = TEMPORALITIES[reader.uint32()] ?? 'unspecified';
    else if (tag === varintField(3)) monotonic = reader.bool();
    else reader.skip(tag);
  }
  return { points, temporality, monotonic };
}

function passOver(reader: ProtoReader): void {
  reader.pos = reader.length();
}

function readNumber(reader: ProtoReader): NumberPoint {
  const attributes = new Map<string, AttributeValue>();
  const point: NumberPoint = { attributes, timeNs: 0n, noValue: false, value: 0 };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    switch (tag) {
      case fixed64Field(3):
        point.timeNs = reader.fixed64();
        break;
      case fixed64Field(4):
        point.value = reader.double();
        break;
      case fixed64Field(6):
        point.value = Number(reader.sfixed64());
        break;
      case bytesField(7):
        readKeyValue(reader, attributes);
        break;
      case varintField(8):
        point.noValue = (reader.uint32() & 1) === 1;
        break;
      default:
        reader.skip(tag);
    }
  }
  return point;
}

function readHistogram(reader: ProtoReader): HistogramPoint {
  const attributes = new Map<string, AttributeValue>();
  const point: HistogramPoint = {
    attributes,
    timeNs: 0n,
    noValue: false,
    count: 0,
    sum: undefined,
    bucketCounts: [],
    bounds: [],
  };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    switch (tag) {
      case fixed64Field(3):
        point.timeNs = reader.fixed64();
        break;
      case fixed64Field(4):
        point.count = Number(reader.fixed64());
        break;
      case fixed64Field(5):
        point.sum = reader.double();
        break;
      case bytesField(6):
        for (const listEnd = reader.length(); reader.more(listEnd); ) point.bucketCounts.push(Number(reader.fixed64()));
        break;
      case fixed64Field(6):
        point.bucketCounts.push(Number(reader.fixed64()));
        break;
      case bytesField(7):
        for (const listEnd = reader.length(); reader.more(listEnd); ) point.bounds.push(reader.double());
        break;
      case fixed64Field(7):
        point.bounds.push(reader.double());
        break;
      case bytesField(9):
        readKeyValue(reader, attributes);
        break;
      case varintField(10):
        point.noValue = (reader.uint32() & 1) === 1;
        break;
      default:
        reader.skip(tag);
    }
  }
  return point;
}

function readSummary(reader: ProtoReader): SummaryPoint {
  const attributes = new Map<string, AttributeValue>();
  const point: SummaryPoint = { attributes, timeNs: 0n, noValue: false, count: 0, sum: 0, quantiles: [] };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    switch (tag) {
      case fixed64Field(3):
        point.timeNs = reader.fixed64();
        break;
      case fixed64Field(4):
        point.count = Number(reader.fixed64());
        break;
      case fixed64Field(5):
        point.sum = reader.double();
        break;
      case bytesField(6):
        point.quantiles.push(readQuantile(reader));
        break;
      case bytesField(7):
        readKeyValue(reader, attributes);
        break;
      case varintField(8):
        point.noValue = (reader.uint32() & 1) === 1;
        break;
      default:
        reader.skip(tag);
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
