import type { Clock } from '../../../base/index.ts';
import { type DoorRequest, originOf } from '../../doors/index.ts';
import { redactText } from '../../pipeline/index.ts';
import type { BatchOrigin, DropReason, Rejection, SignalSink } from '../../sink.ts';
import type { Invalid } from './decoded.ts';
import { decodeLogsJson } from './json-logs.ts';
import { decodeMetricsJson } from './json-metrics.ts';
import { decodeTracesJson } from './json-traces.ts';
import { decodeLogsProtobuf } from './protobuf-logs.ts';
import { decodeMetricsProtobuf } from './protobuf-metrics.ts';
import { decodeTracesProtobuf } from './protobuf-traces.ts';
import { createTranslator, type Translation } from './translate.ts';

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

type Own = readonly (Invalid & { reason?: DropReason })[];

/** What both transports share: HTTP and gRPC differ only in how bytes come and answers go. */
export function createOtlpExporter(options: { sink: SignalSink; clock: Clock; cluster?: string }): OtlpExporter {
  const { sink, clock } = options;
  const translator = createTranslator();
  /** What was refused here before the sink saw it, and by it, as one answer. */
  const conclude = (signal: OtlpSignal, from: BatchOrigin, own: Own, rejected: Rejection[], accepted: number) => {
    const refused: Rejection[] = [];
    for (const { count, example, reason = 'invalid' } of own) {
      if (count > 0) refused.push({ signal: ITEMS[signal], reason, count, example });
    }
    for (const rejection of refused) sink.drop(rejection, from);
    // Senders count points, and an exemplar is none.
    const all = [...refused, ...rejected].filter((one) => one.signal !== 'exemplars');
    return {
      rejected: all.reduce((sum, one) => sum + one.count, 0),
      message: redactText(all.map((one) => one.example).join('; ')),
      unusable: accepted === 0 && refused.length > 0,
    };
  };

  const traces = async (encoding: OtlpEncoding, body: Buffer, from: BatchOrigin) => {
    const { spans, backwards, invalid } = await (encoding === 'json'
      ? decodeTracesJson(body)
      : decodeTracesProtobuf(body));
    const { rejected, stored } = await sink.accept({ spans }, from);
    if (backwards.count > 0 && stored !== false) {
      sink.drop({ signal: 'spans', reason: 'invalid', ...backwards }, from); // counted, not refused
    }
    return conclude('traces', from, [invalid], rejected, spans.length);
  };

  const logs = async (encoding: OtlpEncoding, body: Buffer, from: BatchOrigin) => {
    const nowNs = BigInt(Math.round(clock.now())) * 1_000_000n;
    const decode = encoding === 'json' ? decodeLogsJson : decodeLogsProtobuf;
    const { logs: records, arrivalTimed, invalid } = await decode(body, nowNs);
    const { rejected } = await sink.accept({ logs: records, ...(arrivalTimed ? { arrivalTimed } : {}) }, from);
    return conclude('logs', from, [invalid], rejected, records.length);
  };

  const metrics = async (encoding: OtlpEncoding, body: Buffer, from: BatchOrigin) => {
    const decoded = await (encoding === 'json' ? decodeMetricsJson(body) : decodeMetricsProtobuf(body));
    const keep = async (translation: Translation, forget: () => void) => {
      const { samples, histograms, exemplars, metadata, invalid, doubled, points } = translation;
      const { rejected, stored } = await sink.accept(
        {
          samples,
          metadata,
          ...(histograms.values.length > 0 ? { histograms } : {}),
          ...(exemplars.length > 0 ? { exemplars } : {}),
        },
        from,
      );
      if (stored === false) forget(); // it was counted by the process that stored it
      const own = [decoded.invalid, invalid, { ...doubled, reason: 'duplicate_value' as const }];
      const accepted = samples.values.length + histograms.values.length;
      const result = conclude('metrics', from, own, rejected, accepted);
      // Several samples may come from one data point, which is what the answer counts.
      return { ...result, rejected: Math.min(result.rejected, points + decoded.invalid.count) };
    };
    return translator.translate(decoded, keep, from.cluster);
  };

  return {
    export(signal, encoding, content, request) {
      const handle = signal === 'traces' ? traces : signal === 'logs' ? logs : metrics;
      return handle(encoding, content, originOf(request, 'otlp', options.cluster));
    },
  };
}
