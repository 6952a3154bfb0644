import type { Subset } from '../../model/index.ts';
import type { CheckContext } from './check.ts';
import { median } from './robust.ts';
import type { PodImpact } from './symptom.ts';

/** Attributes of replicas by which an effect can split, most telling first: what differs between them is where to look. */
const ATTRIBUTES: readonly { attribute: string; read(pod: string, context: CheckContext): string | undefined }[] = [
  {
    attribute: 'revision',
    read: (pod, { estate }) => {
      const labels = estate.get(pod)?.labels;
      return labels?.['pod-template-hash'] ?? labels?.['controller-revision-hash'];
    },
  },
  { attribute: 'node', read: (pod, { estate }) => estate.to(pod, 'runs-on', 'node')[0]?.name },
];

/**
 * Who is affected: the replicas, and attributes that all affected ones share and no unaffected one has. An attribute
 * that only one replica could have says no more than the replica itself and is left out.
 */
export function subsetsOf(context: CheckContext): Subset[] {
  const { impacts } = context.symptom;
  const affected = impacts.filter((impact) => impact.affected);
  const others = impacts.filter((impact) => !impact.affected);
  if (affected.length === 0 || others.length === 0) return [];
  const pods = affected.map((impact) =>
    subset('pod', context.estate.get(impact.pod)?.name ?? impact.pod, impact.pod, [impact]),
  );
  const shared = ATTRIBUTES.flatMap(({ attribute, read }) => {
    const values = new Set(affected.map((impact) => read(impact.pod, context)));
    const [value] = values;
    const exclusive =
      values.size === 1 && value !== undefined && others.every((other) => read(other.pod, context) !== value);
    return exclusive && affected.length > 1 ? [subset(attribute, value, context.focus.self.ref, affected)] : [];
  });
  return [...shared, ...pods];
}

function subset(attribute: string, value: string, ref: string, impacts: readonly PodImpact[]): Subset {
  const before = median(impacts.map((impact) => impact.before));
  const during = median(impacts.map((impact) => impact.during));
  return { ref, attribute, value, before, during, lift: before > 0 ? during / before : Number.NaN };
}
