/** Numbers, units, times and names, written the same way on every page. */
export * from './log-text.ts';
export * from './names.ts';
export * from './time.ts';
export * from './value.ts';
