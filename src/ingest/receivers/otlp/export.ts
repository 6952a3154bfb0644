import type { Clock } from '../../../base/index.ts';
import { type DoorRequest, originOf } from '../../doors/index.ts';
import type { BatchOrigin, Rejection, SignalSink } from '../../sink.ts';
import type { Invalid } from './decoded.ts';
import { createDeltaTotals } from './delta.ts';
import { decodeLogsJson } from './json-logs.ts';
import { decodeMetricsJson } from './json-metrics.ts';
import { decodeTracesJson } from './json-traces.ts';
import { decodeLogsProtobuf } from './protobuf-logs.ts';
import { decodeMetricsProtobuf } from './protobuf-metrics.ts';
import { decodeTracesProtobuf } from './protobuf-traces.ts';
import { createTranslator } from './translate.ts';

export const SIGNALS = ['traces', 'metrics', 'logs'] as const;
export type OtlpSignal = (typeof SIGNALS)[number];
export type OtlpEncoding = 'protobuf' | 'json';

/** What `partial_success` says: items that were refused, and why. All zero and empty is full success. */
export interface ExportResult {
  rejected: number;
  message: string;
  /** Nothing of the request could be used: answer it as bad data instead of a partial success. */
  unusable: boolean;
}

export interface OtlpExporter {
  /** Decodes one export request and gives it to the sink. Throws DecodeError when the body is not such a request. */
  export(signal: OtlpSignal, encoding: OtlpEncoding, content: Buffer, request: DoorRequest): Promise<ExportResult>;
}

export const ITEMS = { traces: 'spans', metrics: 'samples', logs: 'logs' } as const;

/** What both transports share: HTTP and gRPC differ only in how bytes come and answers go. */
export function createOtlpExporter(options: { sink: SignalSink; clock: Clock; cluster?: string }): OtlpExporter {
  const { sink, clock } = options;
  const translate = createTranslator();
  const deltas = createDeltaTotals();
  const conclude = (signal: OtlpSignal, from: BatchOrigin, rejected: Rejection[], own: Invalid[], accepted: number) => {
    const invalid = own.filter((one) => one.count > 0);
    for (const one of invalid) {
      sink.drop({ signal: ITEMS[signal], reason: 'invalid', count: one.count, example: one.example }, from);
    }
    const all = [...invalid, ...rejected];
    return {
      rejected: all.reduce((sum, one) => sum + one.count, 0),
      message: all.map((one) => one.example).join('; '),
      unusable: accepted === 0 && invalid.length > 0,
    };
  };

  const traces = async (encoding: OtlpEncoding, body: Buffer, from: BatchOrigin) => {
    const { spans, invalid } = await (encoding === 'json' ? decodeTracesJson(body) : decodeTracesProtobuf(body));
    const { rejected } = await sink.accept({ spans }, from);
    return conclude('traces', from, rejected, [invalid], spans.length);
  };

  const logs = async (encoding: OtlpEncoding, body: Buffer, from: BatchOrigin) => {
    const nowNs = BigInt(Math.round(clock.now())) * 1_000_000n;
    const decode = encoding === 'json' ? decodeLogsJson : decodeLogsProtobuf;
    const { logs: records, invalid } = await decode(body, nowNs);
    const { rejected } = await sink.accept({ logs: records }, from);
    return conclude('logs', from, rejected, [invalid], records.length);
  };

  const metrics = async (encoding: OtlpEncoding, body: Buffer, from: BatchOrigin) => {
    const decoded = await (encoding === 'json' ? decodeMetricsJson(body) : decodeMetricsProtobuf(body));
    const hasDelta = decoded.metrics.some(
      ({ data }) => (data.kind === 'sum' || data.kind === 'histogram') && data.temporality === 'delta',
    );
    const work = async (turn: Parameters<typeof translate>[1]) => {
      const { samples, metadata, invalid, exponential, points } = await translate(decoded, turn);
      const { rejected } = await sink.accept({ samples, metadata }, from);
      const result = conclude(
        'metrics',
        from,
        rejected,
        [decoded.invalid, invalid, exponential],
        samples.values.length,
      );
      // Several samples may come from one data point, which is what the answer counts.
      const most = points + decoded.invalid.count + exponential.count;
      return { ...result, rejected: Math.min(result.rejected, Math.max(most, invalid.count)) };
    };
    return hasDelta ? deltas.take(work) : work(NO_DELTAS);
  };

  return {
    export(signal, encoding, content, request) {
      const handle = signal === 'traces' ? traces : signal === 'logs' ? logs : metrics;
      return handle(encoding, content, originOf(request, 'otlp', options.cluster));
    },
  };
}

const NO_DELTAS = { isNewer: () => true, add: (_series: string, _timeMs: number, value: number) => value };
