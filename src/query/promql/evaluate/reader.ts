import { isAbort } from '../../../base/index.ts';
import { StoreError } from '../../../store/index.ts';
import {
  type GridCapability,
  type GridColumns,
  type GridRequest,
  type MetricSource,
  type ReadOptions,
  type SampleColumns,
  type SampleRequest,
  SourceLimitError,
} from '../../sources/index.ts';
import { PromqlError } from '../error.ts';
import type { PromqlLimits } from '../limits.ts';
import { type Budget, timedOut } from './budget.ts';

/** Reads of one query from its source: each distinct one once, counted, within the query's limits. */
export class Reader {
  queries = 0;
  series = 0;
  private readonly source: MetricSource;
  private readonly limits: PromqlLimits;
  private readonly budget: Budget;
  private readonly signal: AbortSignal | undefined;
  private readonly answers = new Map<string, Promise<SampleColumns | GridColumns>>();

  constructor(options: {
    source: MetricSource;
    limits: PromqlLimits;
    budget: Budget;
    signal?: AbortSignal | undefined;
  }) {
    this.source = options.source;
    this.limits = options.limits;
    this.budget = options.budget;
    this.signal = options.signal;
  }

  /** What the source can evaluate itself, if anything. */
  get grid(): GridCapability | undefined {
    return this.source.grid;
  }

  samples(request: SampleRequest): Promise<SampleColumns> {
    return this.once(request, async (read) => {
      const columns = await this.source.samples(request, read);
      this.count(columns.series.length, columns.values.length, columns.values.length);
      return columns;
    });
  }

  gridOf(grid: GridCapability, request: GridRequest): Promise<GridColumns> {
    return this.once(request, async (read) => {
      const columns = await grid.evaluate(request, read);
      this.count(columns.series.length, columns.samplesRead, columns.values.length);
      return columns;
    });
  }

  private count(series: number, samplesRead: number, held: number): void {
    this.series += series;
    this.budget.samplesRead += samplesRead;
    this.budget.spend(held);
  }

  private async once<T extends SampleColumns | GridColumns>(
    request: object,
    read: (options: ReadOptions) => Promise<T>,
  ): Promise<T> {
    const key = JSON.stringify(request);
    const known = this.answers.get(key);
    if (known) return known as Promise<T>; // a grid request has a `function` and a sample request has none, so keys never meet
    this.budget.check();
    this.queries++;
    const answer = read(this.readOptions()).catch((error: unknown) => {
      throw this.translate(error);
    });
    this.answers.set(key, answer);
    return answer;
  }

  private readOptions(): ReadOptions {
    return {
      limits: {
        seconds: this.budget.secondsLeft(),
        memoryBytes: this.limits.memoryBytes,
        series: this.limits.series,
        samples: this.limits.samples,
      },
      ...(this.signal && { signal: this.signal }),
    };
  }

  private translate(error: unknown): unknown {
    this.budget.check();
    if (isAbort(error) || (error instanceof StoreError && error.kind === 'aborted'))
      return timedOut(this.limits.seconds);
    if (error instanceof SourceLimitError) {
      return error.limit === 'time'
        ? timedOut(this.limits.seconds)
        : new PromqlError('execution', error.message, { cause: error });
    }
    if (error instanceof StoreError) {
      return error.kind === 'limit'
        ? new PromqlError('execution', error.message, { cause: error })
        : new PromqlError('internal', error.message, { cause: error });
    }
    return error;
  }
}
