/** PromQL: parse, check, plan with pushdown, evaluate on grids of points over a metric source. */

export type * from './answer.ts';
export * from './engine.ts';
export * from './error.ts';
export { formatNumber } from './evaluate/number-text.ts';
export { bucketsOf } from './histograms/index.ts';
export { parseSeriesSelector } from './parse-selector.ts';
export { selectorsOf } from './query-selectors.ts';
