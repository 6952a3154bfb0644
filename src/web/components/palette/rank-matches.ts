import type { EntityKind } from '../../../model/index.ts';

interface Match {
  kind: EntityKind;
  name: string;
  ref: string;
}

/** What people look for, first: services and hardware before the many pods and containers in and on them. */
const KINDS: readonly EntityKind[] = [
  'cluster',
  'model',
  'workload',
  'service',
  'node',
  'gpu',
  'dependency',
  'namespace',
  'pod',
];
const MOST = 12;

/** The best of the found entities: names that are the text, then begin with it, then hold it; within that by kind. */
export function rankMatches<Item extends Match>(items: readonly Item[], text: string): Item[] {
  const wanted = text.toLowerCase();
  const closeness = (name: string) =>
    name === wanted ? 0 : name.startsWith(wanted) ? 1 : name.includes(wanted) ? 2 : 3;
  const rank = ({ kind }: Match) => (KINDS.includes(kind) ? KINDS.indexOf(kind) : KINDS.length);
  return items
    .map((item) => ({ item, key: closeness(item.name.toLowerCase()) * 100 + rank(item) }))
    .sort((a, b) => a.key - b.key || a.item.ref.localeCompare(b.item.ref))
    .slice(0, MOST)
    .map(({ item }) => item);
}
