import type { Clock, Logger } from '../../base/index.ts';
import type { AcceptedTimes } from '../pipeline/index.ts';
import type { SignalSink } from '../sink.ts';

export interface BodyLimits {
  /** Bytes of one request, as sent and again after decompression. */
  maxBodyBytes: number;
}

export const defaultBodyLimits: BodyLimits = { maxBodyBytes: 20 * 1024 * 1024 };

/** What every receiver that is pushed to needs. */
export interface ReceiverOptions {
  sink: SignalSink;
  clock: Clock;
  logger: Logger;
  limits?: BodyLimits;
  /** Labels of one stream of log lines. */
  streamLabels?: number;
  /** How far from now the time of what is imported may lie. */
  accept?: AcceptedTimes;
  /** The cluster of signals that do not name one themselves. */
  cluster?: string;
}
