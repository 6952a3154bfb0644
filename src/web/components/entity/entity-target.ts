import { bareRef, type EntityKind, type EntityRef, parseRef } from '../../../model/index.ts';

/** What a link needs to know of an entity; all but the reference may be missing. */
export interface EntityLike {
  ref: EntityRef;
  facts?: Readonly<Record<string, unknown>>;
}

export type EntityTarget =
  | { to: '/models/$cluster/$namespace/$name'; params: { cluster: string; namespace: string; name: string } }
  | { to: '/e/$'; params: { _splat: string } };

/** Where an entity's page is: model services have their own, all others share one address. */
export function entityTarget({ ref, facts }: EntityLike): EntityTarget {
  const parts = parseRef(ref);
  if (parts && (parts.kind === 'model' || (parts.kind === 'workload' && isModelService({ ref, facts: facts ?? {} })))) {
    const { cluster, namespace, name } = parts;
    return { to: '/models/$cluster/$namespace/$name', params: { cluster, namespace: namespace || '-', name } };
  }
  return { to: '/e/$', params: { _splat: bareRef(ref) } };
}

/** A workload whose containers run a model server. */
export function isModelService({ ref, facts }: EntityLike): boolean {
  return ref.startsWith('workload:') && typeof facts?.engine === 'string' && facts.engine !== '';
}

export const KIND_WORD: Readonly<Record<EntityKind, string>> = {
  cluster: 'Cluster', node: 'Node', vm: 'Virtual machine', machine: 'Machine', gpu: 'GPU', mig: 'MIG instance', link: 'Link', namespace: 'Namespace',
  quota: 'Quota', workload: 'Workload', pod: 'Pod', container: 'Container', model: 'Model service', service: 'Service', route: 'Route',
  dependency: 'Dependency', volume: 'Volume', storage: 'Storage', autoscaler: 'Autoscaler', ingress: 'Ingress', exporter: 'Exporter',
  collector: 'Collector', scrapejob: 'Scrape job', change: 'Change',
}; // biome-ignore format: a table to read
