/** Where query engines read from: one contract, an implementation per kind of store. */

export * from './contract.ts';
export { openEmbeddedSource } from './embedded/index.ts';
export { compileMatcher } from './matcher.ts';
export { createMemorySource, type MemorySource } from './memory/index.ts';
