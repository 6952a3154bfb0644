import { createTurns } from '../../turns.ts';
import {
  asObject,
  DecodeError,
  eachObject,
  inside,
  type JsonObject,
  kindOf,
  objectField,
  textField,
} from '../wire/index.ts';
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
  type Point,
  type RawExemplar,
  type ResourceMetric,
  type SummaryPoint,
  TEMPORALITIES,
  type Temporality,
  validSpanId,
  validTraceId,
} from './decoded.ts';
import {
  attributesField,
  boolField,
  doubleField,
  eachJsonItem,
  idField,
  int64Field,
  labelsField,
  numbersField,
  smallField,
  uint64Field,
} from './json-common.ts';
import { MAX_EXEMPLARS } from './limits.ts';

/** Decodes `ExportMetricsServiceRequest` in JSON. Metrics and points that cannot be read are left out. */
export async function decodeMetricsJson(body: Buffer): Promise<DecodedMetrics> {
  const metrics: ResourceMetric[] = [];
  const invalid = createInvalid();
  await eachJsonItem(
    body,
    { resources: 'resourceMetrics', scopes: 'scopeMetrics', items: 'metrics' },
    invalid,
    function* (value, resource, scope, refuse) {
      metrics.push({
        resource,
        scope,
        name: textField(value, 'name'),
        description: textField(value, 'description'),
        unit: textField(value, 'unit'),
        data: yield* toData(value, refuse),
      });
    },
    createTurns(),
  );
  return { metrics, invalid };
}

type Refuse = (error: DecodeError) => void;

function* toData(metric: JsonObject, refuse: Refuse): Generator<void, MetricData> {
  const gauge = objectField(metric, 'gauge');
  if (gauge) return { kind: 'gauge', points: yield* points('gauge', gauge, toNumber, refuse) };
  const sum = objectField(metric, 'sum');
  if (sum) {
    const monotonic = inside('sum', () => boolField(sum, 'isMonotonic'));
    return { kind: 'sum', monotonic, ...(yield* withTemporality('sum', sum, toNumber, refuse)) };
  }
  const histogram = objectField(metric, 'histogram');
  if (histogram) {
    return { kind: 'histogram', ...(yield* withTemporality('histogram', histogram, toHistogram, refuse)) };
  }
  const exponential = objectField(metric, 'exponentialHistogram');
  if (exponential) {
    const data = yield* withTemporality('exponentialHistogram', exponential, toExponential, refuse);
    return { kind: 'exponential-histogram', ...data };
  }
  const summary = objectField(metric, 'summary');
  if (summary) return { kind: 'summary', points: yield* points('summary', summary, toSummary, refuse) };
  return { kind: 'none' };
}

function* withTemporality<T>(
  name: string,
  data: JsonObject,
  read: (point: JsonObject) => T,
  refuse: Refuse,
): Generator<void, { temporality: Temporality; points: T[] }> {
  const temporality = inside(name, () => TEMPORALITIES[smallField(data, 'aggregationTemporality')] ?? 'unspecified');
  return { temporality, points: yield* points(name, data, read, refuse) };
}

/** A point that cannot be read is left out alone. Yields where a metric with very many points may pause. */
function* points<T>(
  name: string,
  data: JsonObject,
  read: (point: JsonObject) => T,
  refuse: Refuse,
): Generator<void, T[]> {
  const list = data.dataPoints ?? [];
  if (!Array.isArray(list)) throw new DecodeError(`expected an array, found ${kindOf(list)}`, `${name}.dataPoints`);
  const result: T[] = [];
  for (let i = 0; i < list.length; i++) {
    try {
      result.push(
        inside(
          () => `${name}.dataPoints[${i}]`,
          () => read(asObject(list[i] ?? null)),
        ),
      );
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      refuse(error);
    }
    if (i % 256 === 255) yield;
  }
  return result;
}

function common(point: JsonObject): Point {
  return {
    attributes: labelsField(point, 'attributes'),
    startNs: uint64Field(point, 'startTimeUnixNano'),
    timeNs: uint64Field(point, 'timeUnixNano'),
    noValue: (smallField(point, 'flags') & 1) === 1,
  };
}

function numberOf(point: JsonObject): number {
  return isAbsent(point.asInt) ? (doubleField(point, 'asDouble') ?? 0) : Number(int64Field(point, 'asInt'));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function toNumber(point: JsonObject): NumberPoint {
  const about = common(point);
  if (!about.noValue && isAbsent(point.asInt) && isAbsent(point.asDouble)) throw new DecodeError(NO_NUMBER);
  return { ...about, value: numberOf(point), exemplars: exemplarsOf(point) };
}

function toHistogram(point: JsonObject): HistogramPoint {
  const bounds = numbersField(point, 'explicitBounds');
  const problem = judgeBounds(bounds);
  if (problem !== undefined) throw new DecodeError(problem, 'explicitBounds');
  return {
    ...common(point),
    count: Number(uint64Field(point, 'count')),
    sum: doubleField(point, 'sum'),
    bucketCounts: numbersField(point, 'bucketCounts'),
    bounds,
    exemplars: exemplarsOf(point),
  };
}

function toExponential(point: JsonObject): ExponentialPoint {
  return {
    ...common(point),
    count: Number(uint64Field(point, 'count')),
    sum: doubleField(point, 'sum'),
    scale: smallField(point, 'scale'),
    zeroCount: Number(uint64Field(point, 'zeroCount')),
    zeroThreshold: doubleField(point, 'zeroThreshold') ?? 0,
    positive: bucketsOf(point, 'positive'),
    negative: bucketsOf(point, 'negative'),
    exemplars: exemplarsOf(point),
  };
}

function bucketsOf(point: JsonObject, name: string): ExponentialBuckets {
  const side = objectField(point, name);
  if (side === undefined) return { offset: 0, counts: [] };
  return inside(name, () => ({ offset: smallField(side, 'offset'), counts: numbersField(side, 'bucketCounts') }));
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

function exemplarsOf(point: JsonObject): readonly RawExemplar[] {
  if (point.exemplars === undefined) return NO_EXEMPLARS;
  const exemplars: RawExemplar[] = [];
  eachObject(point, 'exemplars', (exemplar) => {
    if (exemplars.length === MAX_EXEMPLARS) return;
    exemplars.push({
      timeNs: uint64Field(exemplar, 'timeUnixNano'),
      value: numberOf(exemplar),
      traceId: validTraceId(idField(exemplar, 'traceId')),
      spanId: validSpanId(idField(exemplar, 'spanId')),
      attributes: attributesField(exemplar, 'filteredAttributes'),
    });
  });
  return exemplars;
}
