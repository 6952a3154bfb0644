import { formatRef, parseRef } from '../../../model/index.ts';

/** The pod that a container belongs to: `container:c/ns/pod%2Fname` to `pod:c/ns/pod`. */
export function podOfContainer(ref: string): string | undefined {
  const parts = parseRef(ref);
  if (parts?.kind === 'pod') return ref;
  if (parts?.kind !== 'container') return undefined;
  return formatRef('pod', parts.cluster, parts.namespace, parts.name.split('/')[0] ?? parts.name);
}

/** The pods that a GPU is given to, from what the estate says of it. */
export function usersOfGpu(facts: Readonly<Record<string, unknown>>): string[] {
  const containers = Array.isArray(facts.allocations) ? facts.allocations : [];
  return [
    ...new Set(containers.map((ref) => podOfContainer(String(ref))).filter((ref): ref is string => ref !== undefined)),
  ];
}
