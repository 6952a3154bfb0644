/** A resource that is watched. Secrets never are, ConfigMaps are not needed: least of all is read. */
export interface Resource {
  /** As in RBAC rules: `pods`. */
  name: string;
  group: string;
  apiVersion: string;
  kind: string;
  path: string;
  /** Whether its end is worth recording: events only expire. */
  ends: boolean;
}

export const RESOURCES: readonly Resource[] = [
  core('nodes', 'Node'),
  core('namespaces', 'Namespace'),
  core('pods', 'Pod'),
  core('services', 'Service'),
  core('events', 'Event'),
  grouped('apps', 'replicasets', 'ReplicaSet'),
  grouped('apps', 'deployments', 'Deployment'),
  grouped('apps', 'statefulsets', 'StatefulSet'),
  grouped('apps', 'daemonsets', 'DaemonSet'),
  grouped('batch', 'jobs', 'Job'),
  grouped('batch', 'cronjobs', 'CronJob'),
];

/** What an object is of; undefined for kinds that are not watched. Any version of a group's API means the same. */
export function resourceOf(object: { readonly [part: string]: unknown }): Resource | undefined {
  const group = String(object.apiVersion ?? '').includes('/') ? String(object.apiVersion).split('/')[0] : '';
  return RESOURCES.find((resource) => resource.kind === object.kind && resource.group === group);
}

function core(name: string, kind: string): Resource {
  return { name, group: '', apiVersion: 'v1', kind, path: `/api/v1/${name}`, ends: kind !== 'Event' };
}

function grouped(group: string, name: string, kind: string): Resource {
  return { name, group, apiVersion: `${group}/v1`, kind, path: `/apis/${group}/v1/${name}`, ends: true };
}

/** `list pods in group apps`: the permission that is missing, as an RBAC rule would name it. */
export function permissionWords(resource: Resource, verb: 'list' | 'watch'): string {
  return `may not ${verb} ${resource.name}${resource.group === '' ? '' : ` of ${resource.group}`} in all namespaces: grant it with a ClusterRole`;
}
