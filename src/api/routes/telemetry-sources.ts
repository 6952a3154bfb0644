import type { KubernetesWatch, SourceState, TargetState } from '../../ingest/index.ts';

/** Who delivers, as the routes show it: senders at the doors, scrape targets and watched resources in one form. */
export interface SourceReaders {
  ingest: { telemetry(): Promise<{ sources: SourceState[] }> };
  watches(): readonly Pick<KubernetesWatch, 'cluster' | 'state'>[];
  targets(): readonly TargetState[];
}

/**
 * A scraper and a watch know better than the counters how they are: a quiet cluster brings nothing for hours and is well. So
 * their state comes from them, and the counts of the same source from ingest.
 */
export function describeSources(
  counted: readonly SourceState[],
  options: Omit<SourceReaders, 'ingest'>,
  nowMs: number,
): SourceState[] {
  const counts = new Map(counted.map((source) => [keyOf(source), source]));
  const own = [
    ...options.watches().flatMap((watch) => watchSources(watch, counts, nowMs)),
    ...options.targets().map((target) => targetSource(target, counts, nowMs)),
  ];
  const shown = new Set(own.map(keyOf));
  const watched = new Set(options.watches().map(({ cluster }) => cluster));
  const scraped = new Set(options.targets().map(({ cluster }) => cluster));
  const pushed = counted.filter((source) => {
    if (source.kind === 'kubernetes') return !watched.has(source.cluster);
    // A target that was taken out of the configuration delivers its stale markers last.
    if (source.kind === 'scrape') return !scraped.has(source.cluster) && !shown.has(keyOf(source));
    return true;
  });
  return [...pushed, ...own];
}

function keyOf({ kind, cluster, name }: Pick<SourceState, 'kind' | 'cluster' | 'name'>): string {
  return `${kind} ${cluster} ${name}`;
}

type Counts = ReadonlyMap<string, SourceState>;

/** What is known of a source by its deliveries; nothing before the first. */
function countsOf(counts: Counts, source: Pick<SourceState, 'kind' | 'cluster' | 'name'>, nowMs: number): SourceState {
  const known = counts.get(keyOf(source));
  if (known !== undefined) {
    const { message: _, ...rest } = known;
    return rest;
  }
  return {
    ...source,
    state: 'connected',
    sinceMs: nowMs,
    lastSeenMs: null,
    lagSeconds: null,
    gaps: 0,
    perSecond: 0,
    requests: 0,
    items: 0,
    bytes: 0,
    dropped: 0,
    repeated: 0,
    perMinute: new Array<number>(60).fill(0),
    usualPauseSeconds: null,
  };
}

function watchSources(watch: Pick<KubernetesWatch, 'cluster' | 'state'>, counts: Counts, nowMs: number): SourceState[] {
  return watch.state().map(({ resource, state, lastSeenMs, message }) => ({
    ...countsOf(counts, { kind: 'kubernetes', cluster: watch.cluster, name: resource }, nowMs),
    state,
    sinceMs: lastSeenMs ?? nowMs,
    lastSeenMs,
    lagSeconds: null,
    gaps: 0,
    ...(message === undefined ? {} : { message }),
  }));
}

function targetSource(target: TargetState, counts: Counts, nowMs: number): SourceState {
  const { cluster, job, url, health, lastScrapeMs, intervalMs, lastError, samples } = target;
  const late = lastScrapeMs !== null && nowMs - lastScrapeMs > 3 * intervalMs;
  return {
    ...countsOf(counts, { kind: 'scrape', cluster, name: `${job} ${url}` }, nowMs),
    // A target that was added just now has its first scrape within an interval; that is no trouble.
    state: health === 'down' ? 'refused' : late ? 'lagging' : 'connected',
    sinceMs: lastScrapeMs ?? nowMs,
    lastSeenMs: lastScrapeMs,
    lagSeconds: null,
    perSecond: intervalMs > 0 ? samples / (intervalMs / 1000) : 0,
    usualPauseSeconds: intervalMs / 1000,
    ...(lastScrapeMs === null
      ? { message: 'the first scrape is due' }
      : lastError === ''
        ? {}
        : { message: `the page cannot be had: ${lastError}` }),
  };
}
