import type { Place } from '../../model/index.ts';

/**
 * Reads a container's place from the path of its log file: the kubelet's `/var/log/pods/<namespace>_<pod>_<uid>/
 * <container>/<n>.log`, or the links `/var/log/containers/<pod>_<namespace>_<container>-<id>.log`, also as a Fluent Bit
 * tag with dots for slashes. Undefined for every other path.
 */
export function placeOfLogPath(path: string): Pick<Place, 'namespace' | 'pod' | 'container'> | undefined {
  if (path.length > 1000 || !path.includes('var')) return undefined;
  const pods = PODS.exec(path);
  if (pods !== null) return { namespace: pods[1] ?? '', pod: pods[2] ?? '', container: pods[3] ?? '' };
  const containers = CONTAINERS.exec(path);
  if (containers === null) return undefined;
  return { namespace: containers[2] ?? '', pod: containers[1] ?? '', container: containers[3] ?? '' };
}

// Names of Kubernetes have no underscore, which is why the kubelet divides by them.
const PODS = /var\/log\/pods\/([^/_]+)_([^/_]+)_[^/_]+\/([^/_]+)\/[^/]+$/;
const CONTAINERS = /var[/.]log[/.]containers[/.]([^/_]+)_([^/_]+)_([^/_]+)-[0-9a-f]{64}\.log/;
