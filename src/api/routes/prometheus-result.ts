import { type LabelSet, labelRecord } from '../../model/index.ts';
import { formatNumber, type QueryResult, type QueryValue } from '../../query/index.ts';

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
    for (const { labels, timeMs, value: number } of value.samples) {
      yield `${separator}{"metric":${metric(labels)},"value":${sample(timeMs / 1000, number)}}`;
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
  for (const { labels, timesMs, values } of series) {
    let text = `${between}{"metric":${metric(labels)},"values":[`;
    for (let i = 0; i < values.length; i++) {
      const time = timesMs[i] ?? 0;
      let written = seconds.get(time);
      if (written === undefined) {
        written = String(time / 1000);
        seconds.set(time, written);
      }
      text += `${i === 0 ? '' : ','}[${written},"${formatNumber(values[i] ?? 0)}"]`;
    }
    yield `${text}]}`;
    between = ',';
  }
  yield ']';
}

function sample(seconds: number, value: number): string {
  return `[${seconds},"${formatNumber(value)}"]`;
}

function metric(labels: LabelSet): string {
  return JSON.stringify(labelRecord(labels));
}
