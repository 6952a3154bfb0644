/**
 * Once means once, also when senders repeat what was acknowledged: requests are known by their hash, samples by series and
 * time. It keeps no signals and writes nothing; spool and pipeline do, with what it tells them.
 */

export { createRecentSamples, duplicateText } from './recent-samples.ts';
export { createRepetitions, type Repetitions } from './repetitions.ts';
export { WINDOW_MS, WINDOW_REQUESTS } from './request-window.ts';
