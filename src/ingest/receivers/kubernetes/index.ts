/**
 * Watches clusters' Kubernetes APIs and hands every new version of an object to the pipeline. Own list-watch loops; the
 * library does authentication and TLS. Reads no Secrets and no ConfigMaps.
 */

export type { KnownObject } from './tracker.ts';
export {
  type KubernetesConnection,
  type KubernetesWatch,
  type KubernetesWatchOptions,
  startKubernetesWatch,
} from './watch.ts';
