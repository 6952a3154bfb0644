/**
 * What Node and the browser lack and every part needs: clock, retry, limits, ids, a logger's shape.
 * Knows no words of the domain. What needs Node itself lives in `base/node`.
 */

export { anySignal, deadline, isAbort } from './abort.ts';
export { type Clock, type ManualClock, manualClock, systemClock } from './clock.ts';
export { newId } from './ids.ts';
export { type Logger, silentLogger } from './logger.ts';
export { nearest } from './nearest.ts';
export { type Backoff, backoffDelay, retry } from './retry.ts';
export { createSemaphore, type Semaphore } from './semaphore.ts';
export { silentTracer, type TraceAttributes, type Tracer, type TraceSpan, traced } from './tracer.ts';
