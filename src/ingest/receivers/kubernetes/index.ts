/**
 * Watches clusters' Kubernetes APIs and hands every new version of an object to the pipeline. Own list-watch loops; the
 * library does authentication and TLS. Reads no Secrets and no ConfigMaps.
 */

export { toApiObject } from './api-object.ts';
export type { KubernetesConnection } from './connection.ts';
export { normalise } from './normalise.ts';
export { resourceOf } from './resources.ts';
export type { KnownObject } from './tracker.ts';
export { type KubernetesWatch, type KubernetesWatchOptions, startKubernetesWatch } from './watch.ts';
