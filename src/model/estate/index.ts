/** Entities, how they hang together at a moment, and what changed. */

export * from './change.ts';
export * from './entity.ts';
export * from './reference.ts';
export * from './snapshot.ts';
