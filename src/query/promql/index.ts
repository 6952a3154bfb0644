/** PromQL: parse, check, plan with pushdown, evaluate on grids of points over a metric source. */

export type * from './engine.ts';
export * from './error.ts';
