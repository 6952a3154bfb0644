import type { ClusterPlan } from '../blueprint.ts';
import { type Random, uuid } from '../core/random.ts';
import type { Condition, ObjectMeta, OwnerReference, Workload } from './object-types.ts';

/** What every object is named and dated by. */
export function meta(
  random: Random,
  name: string,
  createdMs: number,
  more: Partial<Pick<ObjectMeta, 'namespace' | 'labels' | 'generation'>>,
): ObjectMeta {
  return { name, ...more, uid: uuid(random), resourceVersion: '', creationTimestamp: time(createdMs) };
}

export function ownerOf(object: Workload): OwnerReference {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

export function condition(type: string, since: string): Condition {
  return { type, status: 'True', lastTransitionTime: since };
}

/** Kubernetes writes times in UTC without fractions. */
export function time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Letters as Kubernetes draws them for names: no vowels and no digits that look like one. */
export function letters(random: Random, count: number): string {
  return Array.from({ length: count }, () => NAME_LETTERS[random.below(NAME_LETTERS.length)]).join('');
}

const NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Address of the node with that position in the plan. */
export function nodeIp(plan: ClusterPlan, index: number): string {
  return `192.168.${plan.network}.${10 + index}`;
}
