import { systemClock } from '../../base/index.ts';
import { nowhere, type SignalBatch } from '../../model/index.ts';
import { type ClickHousePort, selectRows } from '../../store/index.ts';
import type { RequestMark } from '../sink.ts';
import { createSpoolWriter } from './encoding-writer.ts';
import { openSpool, type Spool, type SpoolOptions } from './spool.ts';

export interface BatchSpool extends Omit<Spool, 'append'> {
  append(batch: SignalBatch, request?: RequestMark): Promise<void>;
}

/** A spool with the encoder that another thread has in the running server. */
export async function openBatchSpool(options: SpoolOptions): Promise<BatchSpool> {
  const spool = await openSpool({ ...options, onRefused: () => writer.forget() });
  const writer = createSpoolWriter(spool.append, systemClock);
  return { ...spool, append: writer.append };
}

const SAMPLES = 5;
const START_MS = 1_767_225_600_000;

/** A batch that can be found again: five samples, two log lines and a span that carry its number. */
export function numberedBatch(number: number): SignalBatch {
  const timeMs = START_MS + number;
  const timeNs = BigInt(timeMs) * 1_000_000n;
  const scope = { name: '', version: '' };
  const place = { ...nowhere, cluster: 'prod-eu' };
  const shared = { resource: new Map([['host', 'a']]), attributes: new Map(), scope, flags: 0, place };
  return {
    samples: {
      series: Array.from({ length: SAMPLES }, (_, i) => ({
        cluster: 'prod-eu',
        labels: ['__name__', `metric_${i}`, 'batch', String(number % 50)],
      })),
      seriesOf: Uint32Array.from({ length: SAMPLES }, (_, i) => i),
      timesMs: new Float64Array(SAMPLES).fill(timeMs),
      values: new Float64Array(SAMPLES).fill(number),
    },
    logs: [0, 1].map((i) => ({
      ...shared,
      timeNs,
      observedNs: timeNs,
      severity: 9,
      severityText: 'INFO',
      body: `line ${number} ${i}`,
      traceId: '',
      spanId: '',
    })),
    spans: [
      {
        ...shared,
        traceId: number.toString(16).padStart(32, '0'),
        spanId: '00f067aa0ba902b7',
        parentSpanId: '',
        name: `span ${number}`,
        kind: 'server',
        startNs: timeNs,
        endNs: timeNs + 5n,
        status: 'ok',
        statusMessage: '',
        events: [],
        links: [],
        traceState: '',
      },
    ],
  };
}

export interface Found {
  /** Numbers of batches of which every row is there, findable through its series or trace. */
  whole: Set<number>;
  /** Rows that are there more than once. */
  duplicates: number;
}

/** Which numbered batches the store holds. */
export async function findBatches(port: ClickHousePort): Promise<Found> {
  const rows = (text: string) =>
    selectRows(port, { text, params: {} }, { limits: { seconds: 60, memoryBytes: 2 ** 30 } });
  const counts = async (text: string): Promise<[Map<number, number>, number]> => {
    const found = await rows(text);
    const duplicates = found.reduce((sum, row) => sum + Number(row.total) - Number(row.distinct), 0);
    return [new Map(found.map((row) => [Number(row.number), Number(row.distinct)])), duplicates];
  };
  const [samples, twiceSamples] = await counts(`SELECT toUInt64(value) AS number, count() AS total,
uniqExact(series_id, ts) AS distinct FROM samples WHERE series_id IN (SELECT series_id FROM series) GROUP BY number`);
  const [lines, twiceLines] = await counts(`SELECT toUInt64(splitByChar(' ', body)[2]) AS number, count() AS total,
uniqExact(stream_id, time, body) AS distinct FROM logs GROUP BY number`);
  const [spans, twiceSpans] = await counts(`SELECT toUInt64(splitByChar(' ', name)[2]) AS number, count() AS total,
uniqExact(trace_id, span_id) AS distinct FROM spans WHERE trace_id IN (SELECT trace_id FROM trace_times) GROUP BY number`);
  const whole = new Set<number>();
  for (const [number, count] of samples) {
    if (count === SAMPLES && lines.get(number) === 2 && spans.get(number) === 1) whole.add(number);
  }
  return { whole, duplicates: twiceSamples + twiceLines + twiceSpans };
}
