/** A question in some language -> rows. Everything that reads data takes a scope. */

export * from './promql/index.ts';
export * from './sources/index.ts';
