import type { Trouble } from '../../../api/contract/index.ts';

/** What concerns a page that shows `cluster` (all when undefined): critical first, then what has stopped, then the longest standing. */
export function troubleOf(trouble: readonly Trouble[], cluster: string | undefined): Trouble[] {
  return trouble
    .filter((one) => cluster === undefined || one.cluster === undefined || one.cluster === cluster)
    .sort((a, b) => rank(a) - rank(b) || Date.parse(a.since) - Date.parse(b.since));
}

/** What the banner says: warnings can be put away, what is critical cannot. */
export function bannerOf(trouble: readonly Trouble[], dismissed: ReadonlySet<string>): Trouble[] {
  return trouble.filter((one) => one.severity === 'critical' || !dismissed.has(one.id));
}

/** The row of the Telemetry page's sources that a trouble is about, as its `sel`; undefined when it is about none. */
export function sourceKeyOf({ id }: Trouble): string | undefined {
  return id.startsWith('source-') ? id.slice(id.indexOf(' ') + 1) : undefined;
}

/** Whether it is about series or labels that a limit refused. */
export function isOfCardinality({ id }: Trouble): boolean {
  return /\blimit_(series|labels)\b/.test(id);
}

/** A source that stopped hides more than the others: pages go on showing its past. */
function rank({ severity, source }: Trouble): number {
  return (severity === 'critical' ? 0 : 2) + (source === undefined ? 1 : 0);
}
