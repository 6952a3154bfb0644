import type { Clock } from '../../../base/index.ts';
import { PromqlError } from '../error.ts';
import type { PromqlLimits } from '../limits.ts';

/** Longest stretch of evaluation before other work of the process gets its turn, in milliseconds. */
const TURN_MS = 10;

/** What one query may still use, and whether it may go on. */
export class Budget {
  /** Samples read from the source. */
  samplesRead = 0;
  private held = 0;
  private turnBegan: number;
  private readonly deadline: number;
  private readonly clock: Clock;
  private readonly limits: PromqlLimits;
  private readonly signal: AbortSignal | undefined;

  constructor(options: { clock: Clock; limits: PromqlLimits; signal?: AbortSignal | undefined }) {
    this.clock = options.clock;
    this.limits = options.limits;
    this.signal = options.signal;
    this.turnBegan = options.clock.monotonic();
    this.deadline = this.turnBegan + options.limits.seconds * 1000;
  }

  /** Counts samples and points that the query holds or makes; throws when there are too many. */
  spend(samples: number): void {
    this.held += samples;
    if (this.held <= this.limits.samples) return;
    throw new PromqlError(
      'execution',
      `query processing would load too many samples into memory in query execution (limit ${this.limits.samples}): narrow the time range or the selectors, or use a larger step`,
    );
  }

  /** Whether it is time to `pause`. Cheap enough for every row. */
  isDue(): boolean {
    return this.clock.monotonic() - this.turnBegan > TURN_MS;
  }

  /** Lets other work run; throws when the query was canceled or ran out of time. */
  async pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.check();
    this.turnBegan = this.clock.monotonic();
  }

  check(): void {
    if (this.signal?.aborted) throw stopped(this.signal);
    if (this.clock.monotonic() > this.deadline) throw timedOut(this.limits.seconds);
  }

  secondsLeft(): number {
    return Math.max(0.001, (this.deadline - this.clock.monotonic()) / 1000);
  }
}

export function timedOut(seconds: number): PromqlError {
  return new PromqlError(
    'timeout',
    `query timed out in expression evaluation (limit ${seconds} s): narrow the time range or the selectors`,
  );
}

function stopped(signal: AbortSignal): PromqlError {
  const isTimeout = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
  return isTimeout
    ? new PromqlError('timeout', 'query timed out in expression evaluation', { cause: signal.reason })
    : new PromqlError('canceled', 'query was canceled in expression evaluation', { cause: signal.reason });
}
