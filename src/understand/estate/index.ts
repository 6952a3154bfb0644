/**
 * Builds the estate (entities, relations, health in words) from Kubernetes objects, exporter labels and spans as they
 * held at a moment, and finds what changed between two versions of an object. Pure: reads no clock, does no I/O.
 */

export { buildEstate } from './build.ts';
export { diffObjects } from './diff.ts';
export { type EstateEvent, toEstateEvent } from './event.ts';
export { groupChanges } from './group-changes.ts';
export type * from './input.ts';
export { type KubernetesObject, parseObject } from './kubernetes-object.ts';
export { podWorkloads } from './owners.ts';
export type { ChangesQuery, EstateReader } from './reader.ts';
export { rolloutChanges } from './rollouts.ts';
