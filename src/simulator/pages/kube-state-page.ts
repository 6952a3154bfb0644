import type { Condition, ObjectMeta } from '../kubernetes/object-types.ts';
import type { Labels, PageBuilder } from './page.ts';

/** The page with values instead of readers: a series of kube-state-metrics holds until its object changes. */
export interface StatePage {
  gauge(name: string, help: string, labels: Labels, value: number): void;
  counter(name: string, help: string, labels: Labels, value: number): void;
}

export function withConstants(page: PageBuilder): StatePage {
  return {
    gauge: (name, help, labels, value) => page.gauge(name, help, labels, () => value),
    counter: (name, help, labels, value) => page.counter(name, help, labels, () => value),
  };
}

export function unixSeconds(time: string): number {
  return Date.parse(time) / 1000;
}

/** `app.kubernetes.io/name` becomes `label_app_kubernetes_io_name`. */
export function labelLabels(labels: Record<string, string> | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels ?? {}).map(([name, value]) => [`label_${name.replace(/[^a-zA-Z0-9_]/g, '_')}`, value]),
  );
}

export function addOwner(page: StatePage, name: string, help: string, labels: Labels, meta: ObjectMeta): void {
  const owner = meta.ownerReferences?.[0];
  page.gauge(
    name,
    help,
    {
      ...labels,
      owner_kind: owner?.kind ?? '',
      owner_name: owner?.name ?? '',
      owner_is_controller: owner ? String(owner.controller) : '',
    },
    1,
  );
}

/** One series per status the condition can have. */
export function addCondition(page: StatePage, name: string, help: string, labels: Labels, condition: Condition): void {
  for (const status of ['true', 'false', 'unknown']) {
    const value = condition.status.toLowerCase() === status ? 1 : 0;
    page.gauge(name, help, { ...labels, condition: condition.type, status }, value);
  }
}
