import { createTurns } from '../../turns.ts';
import { eachObject, inside, type JsonObject, objectField, parseJson, textField } from '../wire/index.ts';
import {
  createInvalid,
  type DecodedMetrics,
  type HistogramPoint,
  type MetricData,
  type NumberPoint,
  type Point,
  type ResourceMetric,
  type SummaryPoint,
  TEMPORALITIES,
  type Temporality,
} from './decoded.ts';
import {
  attributesField,
  boolField,
  doubleField,
  eachJsonItem,
  int64Field,
  numbersField,
  smallField,
  uint64Field,
} from './json-common.ts';

/** Decodes `ExportMetricsServiceRequest` in JSON. A metric that cannot be read is refused with all its points. */
export async function decodeMetricsJson(body: Buffer): Promise<DecodedMetrics> {
  const metrics: ResourceMetric[] = [];
  const invalid = createInvalid();
  const turns = createTurns();
  await eachJsonItem(
    parseJson(body),
    { resources: 'resourceMetrics', scopes: 'scopeMetrics', items: 'metrics' },
    invalid,
    (value, resource, scope) =>
      metrics.push({
        resource,
        scope,
        name: textField(value, 'name'),
        description: textField(value, 'description'),
        unit: textField(value, 'unit'),
        data: toData(value),
      }),
    () => (turns.over() ? turns.next() : undefined),
  );
  return { metrics, invalid };
}

function toData(metric: JsonObject): MetricData {
  const of = <T>(name: string, read: (data: JsonObject) => T): T | undefined => {
    const data = objectField(metric, name);
    return data === undefined ? undefined : inside(name, () => read(data));
  };
  return (
    of('gauge', (data): MetricData => ({ kind: 'gauge', points: points(data, toNumber) })) ??
    of(
      'sum',
      (data): MetricData => ({
        kind: 'sum',
        monotonic: boolField(data, 'isMonotonic'),
        temporality: temporalityOf(data),
        points: points(data, toNumber),
      }),
    ) ??
    of(
      'histogram',
      (data): MetricData => ({
        kind: 'histogram',
        temporality: temporalityOf(data),
        points: points(data, toHistogram),
      }),
    ) ??
    of('summary', (data): MetricData => ({ kind: 'summary', points: points(data, toSummary) })) ??
    of(
      'exponentialHistogram',
      (data): MetricData => ({
        kind: 'exponential-histogram',
        count: points(data, () => undefined).length,
      }),
    ) ?? { kind: 'none' }
  );
}

function points<T>(data: JsonObject, read: (point: JsonObject) => T): T[] {
  const list: T[] = [];
  eachObject(data, 'dataPoints', (point) => list.push(read(point)));
  return list;
}

function temporalityOf(data: JsonObject): Temporality {
  return TEMPORALITIES[smallField(data, 'aggregationTemporality')] ?? 'unspecified';
}

function common(point: JsonObject): Point {
  return {
    attributes: attributesField(point, 'attributes'),
    timeNs: uint64Field(point, 'timeUnixNano'),
    noValue: (smallField(point, 'flags') & 1) === 1,
  };
}

function toNumber(point: JsonObject): NumberPoint {
  const value = point.asInt === undefined ? (doubleField(point, 'asDouble') ?? 0) : Number(int64Field(point, 'asInt'));
  return { ...common(point), value };
}

function toHistogram(point: JsonObject): HistogramPoint {
  return {
    ...common(point),
    count: Number(uint64Field(point, 'count')),
    sum: doubleField(point, 'sum'),
    bucketCounts: numbersField(point, 'bucketCounts'),
    bounds: numbersField(point, 'explicitBounds'),
  };
}

function toSummary(point: JsonObject): SummaryPoint {
  const quantiles: SummaryPoint['quantiles'] = [];
  eachObject(point, 'quantileValues', (at) => {
    quantiles.push({ quantile: doubleField(at, 'quantile') ?? 0, value: doubleField(at, 'value') ?? 0 });
  });
  return {
    ...common(point),
    count: Number(uint64Field(point, 'count')),
    sum: doubleField(point, 'sum') ?? 0,
    quantiles,
  };
}
