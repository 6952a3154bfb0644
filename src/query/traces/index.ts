/** Traces by place, duration and errors; services and their calls from spans. */

export type * from './contract.ts';
export { createTraceReader } from './read.ts';
