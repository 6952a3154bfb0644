import { type LabelSet, labelRecord, type NativeHistogram } from '../../model/index.ts';
import { bucketsOf, formatNumber, type QueryResult, type QueryValue } from '../../query/index.ts';

/** Characters gathered before they are sent and other requests get their turn. */
const CHUNK = 64 * 1024;

/** At most `limit` series; zero stands for all. */
export function truncateResult(value: QueryValue, limit: number): { value: QueryValue; truncated: boolean } {
  if (limit <= 0) return { value, truncated: false };
  if (value.kind === 'vector' && value.samples.length > limit) {
    return { value: { ...value, samples: value.samples.slice(0, limit) }, truncated: true };
  }
  if (value.kind === 'matrix' && value.series.length > limit) {
    return { value: { ...value, series: value.series.slice(0, limit) }, truncated: true };
  }
  return { value, truncated: false };
}

/** The whole answer as JSON text in pieces, so that a large one neither blocks the process nor exists twice. */
export async function* encodeResult({ value, warnings, infos }: QueryResult): AsyncGenerator<string> {
  let gathered = `{"status":"success","data":{"resultType":"${value.kind}","result":`;
  for (const piece of resultPieces(value)) {
    gathered += piece;
    if (gathered.length < CHUNK) continue;
    yield gathered;
    gathered = '';
    await new Promise((resolve) => setImmediate(resolve));
  }
  gathered += '}';
  if (warnings.length > 0) gathered += `,"warnings":${JSON.stringify(warnings)}`;
  if (infos.length > 0) gathered += `,"infos":${JSON.stringify(infos)}`;
  yield `${gathered}}`;
}

function* resultPieces(value: QueryValue): Generator<string> {
  if (value.kind === 'scalar') yield sample(value.timeMs / 1000, value.value);
  else if (value.kind === 'string') yield `[${value.timeMs / 1000},${JSON.stringify(value.value)}]`;
  else if (value.kind === 'vector') {
    let separator = '[';
    for (const { labels, timeMs, value: number, histogram } of value.samples) {
      const seconds = timeMs / 1000;
      const point = histogram
        ? `"histogram":[${seconds},${histogramText(histogram)}]`
        : `"value":${sample(seconds, number)}`;
      yield `${separator}{"metric":${metric(labels)},${point}}`;
      separator = ',';
    }
    yield separator === '[' ? '[]' : ']';
  } else yield* matrixPieces(value);
}

function* matrixPieces({ series }: QueryValue & { kind: 'matrix' }): Generator<string> {
  if (series.length === 0) return yield '[]';
  /** The same times come in every series. */
  const seconds = new Map<number, string>();
  let between = '[';
  for (const { labels, timesMs, values, histograms } of series) {
    let text = `${between}{"metric":${metric(labels)}`;
    between = ',';
    if (histograms !== undefined && values.length === 0) {
      yield `${text},"histograms":${histogramPoints(histograms)}}`;
      continue;
    }
    text += ',"values":[';
    for (let i = 0; i < values.length; i++) {
      const time = timesMs[i] ?? 0;
      let written = seconds.get(time);
      if (written === undefined) {
        written = String(time / 1000);
        seconds.set(time, written);
      }
      text += `${i === 0 ? '' : ','}[${written},"${formatNumber(values[i] ?? 0)}"]`;
    }
    yield `${text}]${histograms === undefined ? '' : `,"histograms":${histogramPoints(histograms)}`}}`;
  }
  yield ']';
}

function histogramPoints(points: readonly { timeMs: number; value: NativeHistogram }[]): string {
  return `[${points.map(({ timeMs, value }) => `[${timeMs / 1000},${histogramText(value)}]`).join(',')}]`;
}

/** Each bucket as which of its bounds belong to it (0 the upper, 1 the lower, 2 none, 3 both), bounds, count. */
function histogramText(histogram: NativeHistogram): string {
  const buckets = bucketsOf(histogram).map(({ lower, upper, lowerInclusive, upperInclusive, count }) => {
    const rule = lowerInclusive ? (upperInclusive ? 3 : 1) : upperInclusive ? 0 : 2;
    return `[${rule},"${formatNumber(lower)}","${formatNumber(upper)}","${formatNumber(count)}"]`;
  });
  const head = `"count":"${formatNumber(histogram.count)}","sum":"${formatNumber(histogram.sum)}"`;
  return `{${head}${buckets.length === 0 ? '' : `,"buckets":[${buckets.join(',')}]`}}`;
}

function sample(seconds: number, value: number): string {
  return `[${seconds},"${formatNumber(value)}"]`;
}

function metric(labels: LabelSet): string {
  return JSON.stringify(labelRecord(labels));
}
