/** A question in some language -> rows. Everything that reads data takes a scope. */

export * from './logs/index.ts';
export * from './objects/index.ts';
export * from './promql/index.ts';
export * from './sources/index.ts';
export * from './traces/index.ts';
