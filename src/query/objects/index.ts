/** Kubernetes objects by version: what held at a time, and what came one after the other. */

export type * from './contract.ts';
export { createObjectReader } from './read.ts';
