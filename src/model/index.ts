/**
 * The vocabulary of Trifocal as plain types and pure functions: signals, the estate, the catalogue of canonical
 * signals, findings. No I/O, no wire formats, no clock.
 */

export * from './catalogue/index.ts';
export * from './estate/index.ts';
export * from './findings/index.ts';
export * from './scope.ts';
export * from './signals/index.ts';
export * from './time.ts';
