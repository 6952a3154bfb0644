/** A signal that aborts when any of the given ones does; undefined ones are left out. */
export function anySignal(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((s): s is AbortSignal => s !== undefined));
}

/** A signal that aborts after `ms`, or with `parent`. The reason is a `TimeoutError` when time ran out. */
export function deadline(ms: number, parent?: AbortSignal): AbortSignal {
  return anySignal(AbortSignal.timeout(Math.max(0, Math.ceil(ms))), parent);
}

/** Whether an error is the consequence of an abort or time-out rather than a failure of its own. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
