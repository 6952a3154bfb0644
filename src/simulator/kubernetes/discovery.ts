import type { ServerResponse } from 'node:http';
import { RESOURCES, type ResourceName } from './object-store.ts';

const SHORT_NAMES: Partial<Record<ResourceName, string[]>> = {
  nodes: ['no'],
  namespaces: ['ns'],
  pods: ['po'],
  services: ['svc'],
  events: ['ev'],
  replicasets: ['rs'],
  deployments: ['deploy'],
  statefulsets: ['sts'],
  daemonsets: ['ds'],
  cronjobs: ['cj'],
};

/** Answers the paths by which clients find out what the server is and has. Returns whether it did. */
export function serveDiscovery(path: string, response: ServerResponse): boolean {
  if (['/healthz', '/readyz', '/livez'].includes(path)) {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('ok');
    return true;
  }
  const body = DOCUMENTS[path.replace(/\/$/, '')];
  if (!body) return false;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body()));
  return true;
}

/** Which objects a path asks for; undefined when it is none of the served ones. `name` is empty for lists. */
export function parseList(path: string): { resource: ResourceName; namespace: string; name: string } | undefined {
  const match = /^\/(?:api\/v1|apis\/([a-z]+)\/v1)(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?$/.exec(path);
  // `/api/v1/namespaces/x` is an object, not the namespace of one.
  const own = /^\/api\/v1\/namespaces\/([^/]+)$/.exec(path);
  if (own) return { resource: 'namespaces', namespace: '', name: decodeURIComponent(own[1] ?? '') };
  if (!match) return undefined;
  const [, askedGroup = '', namespace = '', resource, name = ''] = match;
  if (!isResource(resource)) return undefined;
  const { group, namespaced } = RESOURCES[resource];
  if (group !== askedGroup || (namespace !== '' && !namespaced)) return undefined;
  if (name !== '' && namespaced && namespace === '') return undefined;
  return { resource, namespace: decodeURIComponent(namespace), name: decodeURIComponent(name) };
}

function isResource(name: string | undefined): name is ResourceName {
  return name !== undefined && Object.hasOwn(RESOURCES, name);
}

const DOCUMENTS: Record<string, () => object> = {
  '/version': () => ({
    major: '1',
    minor: '34',
    gitVersion: 'v1.34.1',
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '2025-09-09T19:38:25Z',
    goVersion: 'go1.24.6',
    compiler: 'gc',
    platform: 'linux/amd64',
  }),
  '/api': () => ({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }),
  '/apis': () => ({ kind: 'APIGroupList', apiVersion: 'v1', groups: [apiGroup('apps'), apiGroup('batch')] }),
  '/apis/apps': () => ({ kind: 'APIGroup', apiVersion: 'v1', ...apiGroup('apps') }),
  '/apis/batch': () => ({ kind: 'APIGroup', apiVersion: 'v1', ...apiGroup('batch') }),
  '/api/v1': () => resourceList('v1', ''),
  '/apis/apps/v1': () => resourceList('apps/v1', 'apps'),
  '/apis/batch/v1': () => resourceList('batch/v1', 'batch'),
};

function apiGroup(name: string) {
  const version = { groupVersion: `${name}/v1`, version: 'v1' };
  return { name, versions: [version], preferredVersion: version };
}

function resourceList(groupVersion: string, group: string) {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion,
    resources: Object.entries(RESOURCES)
      .filter(([, resource]) => resource.group === group)
      .map(([name, { kind, namespaced }]) => ({
        name,
        singularName: kind.toLowerCase(),
        namespaced,
        kind,
        verbs: ['get', 'list', 'watch'],
        shortNames: SHORT_NAMES[name as ResourceName /* a key of RESOURCES */] ?? [],
      })),
  };
}
