/** Log lines by place, text, severity, trace and time. */

export type * from './contract.ts';
export { createLogReader } from './read.ts';
