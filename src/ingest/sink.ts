import type { SignalBatch } from '../model/index.ts';

/** Where a batch came from. */
export interface BatchOrigin {
  /** `store`: nobody in particular; found while rows went into the store. */
  protocol: 'otlp' | 'remote-write' | 'loki' | 'fluent-bit' | 'scrape' | 'kubernetes' | 'import' | 'store';
  /** The cluster that the receiver's configuration names; a signal's own word comes first. */
  cluster?: string;
  /** The size of the request as it came over the wire, for the byte counter. */
  bytes?: number;
  /** Who sent it, as far as the connection tells: address and program. */
  sender?: string;
  /** The request that brought it, so that a repetition is known after a restart. */
  request?: RequestMark;
}

/** What is remembered of a request: that its signals are on disk. */
export interface RequestMark {
  /** Of the door and the body as sent; 16 bytes. */
  hash: Uint8Array;
  atMs: number;
}

export type DropReason =
  | 'too_old' | 'too_new' | 'duplicate_value' | 'invalid' | 'oversize' | 'limit_series' | 'limit_labels' | 'sampled'
  | 'unreadable' | 'refused_backpressure'; // biome-ignore format: a list to read

export interface Rejection {
  signal: 'samples' | 'exemplars' | 'logs' | 'spans' | 'objects';
  /** The samples are native histograms, which some protocols count apart. */
  histograms?: true;
  reason: DropReason;
  count: number;
  /** One sentence about the first of them: which one, why. */
  example: string;
}

/** What became of a batch whose `accept` resolved: everything not in `rejected` is on disk. */
export interface AcceptResult {
  rejected: Rejection[];
  /** False when the request is a repetition: what it brings is on disk since it came first, and nothing came to that. */
  stored?: false;
}

/** The one door from receivers into the pipeline, the spool and the store. */
export interface SignalSink {
  /** Resolves when the batch is durable. Throws BackPressureError when the sender should try again later. */
  accept(batch: SignalBatch, origin: BatchOrigin): Promise<AcceptResult>;
  /** Counts what a receiver had to drop before there was a batch. */
  drop(rejection: Rejection, origin: BatchOrigin): void;
}

/** The spool is full or the disk refuses: answer the protocol's "try again". */
export class BackPressureError extends Error {
  override name: string = 'BackPressureError';
  readonly retryAfterSeconds: number;
  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A sender exceeds its rate: the same answer, but it is the sender who is asked to slow down (429 instead of 503). */
export class RateLimitError extends BackPressureError {
  override name = 'RateLimitError';
}
