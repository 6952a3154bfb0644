import { type Backoff, type Clock, deadline, retry } from '../base/index.ts';
import { RefusedError } from './doors/post.ts';
import { NODE_AGE_MS } from './kubernetes/build-objects.ts';

/** What Trifocal already holds of this estate from an earlier run. */
export interface Past {
  /** The newest sample of any target within the asked time; undefined when there is none. */
  reachMs: number | undefined;
  /** The estate's zero of ages; undefined when Trifocal has not seen it yet. */
  foundedMs: number | undefined;
  /** When releases were rolled out, ascending. */
  rolloutsMs: number[];
}

/** What to replay, and what was before it. */
export interface HistoryPlan {
  /** The first moment whose signals are delivered. */
  fromMs: number;
  foundedMs: number;
  rolloutsMs: number[];
}

/** A release was rolled out that long before the present. */
const ROLLOUT_BEFORE_MS = 40 * 60_000;
/** Between the founding and the first release, should the replayed stretch be shorter than that. */
const FIRST_RELEASE_MS = 60_000;

/**
 * Goes on where the data ends, so that no two histories overlap; where it ends too long ago or there is none, with the whole
 * history. A release falls into the stretch when it is long enough; one that was rolled out earlier stays as it was.
 */
export function planHistory(past: Past, nowMs: number, historyMs: number): HistoryPlan {
  const reachMs = past.reachMs === undefined ? undefined : Math.min(past.reachMs, nowMs);
  const fromMs = Math.max(nowMs - historyMs, (reachMs ?? Number.NEGATIVE_INFINITY) + 1);
  const rolloutMs = wholeSeconds(nowMs - ROLLOUT_BEFORE_MS);
  const rolloutsMs =
    rolloutMs > fromMs || past.foundedMs === undefined ? [...past.rolloutsMs, rolloutMs] : past.rolloutsMs;
  const foundedMs = past.foundedMs ?? wholeSeconds(Math.min(fromMs, rolloutMs - FIRST_RELEASE_MS));
  return { fromMs, foundedMs, rolloutsMs };
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

const BACKOFF: Backoff = { firstMs: 100, maxMs: 3000, factor: 2 };
const ATTEMPTS = 40;
const ANSWER_TIMEOUT_MS = 30_000;
/** How long Trifocal keeps metrics when it is not told otherwise. */
const KEPT = '30d';
/** An instant query finds samples of the last 5 minutes, so a look a minute misses none. */
const LOOKBACK_MS = 300_000;

export interface AskOptions {
  /** Base URL. */
  trifocal: string;
  clusters: readonly string[];
  /** The cluster whose release is rolled out, one of its nodes, and the Deployment. */
  marks: { cluster: string; node: string; deployment: string };
  historyMs: number;
  clock: Clock;
  signal: AbortSignal;
}

/** Asks Trifocal for the past through its Prometheus API, once it is ready. Throws an Error when it does not answer. */
export async function askPast(options: AskOptions): Promise<Past> {
  const { clusters, marks, historyMs, clock } = options;
  const up = `up{cluster=~"${clusters.join('|')}"}`;
  const newest = async (rangeMs: number, stepS: number, atMs: number) => {
    const range = `${Math.ceil(rangeMs / 1000)}s:${stepS}s`;
    const [value] = await ask(options, `max(max_over_time(timestamp(${up})[${range}]))`, atMs);
    return value === undefined ? undefined : Math.round(value * 1000);
  };
  const nowMs = clock.now();
  const about = await newest(historyMs, 60, nowMs);
  // Once more, closely: the newest sample may have come after the last of those looks.
  const reachMs = about && (await newest(LOOKBACK_MS, 1, Math.min(nowMs, about + LOOKBACK_MS)));
  const node = `kube_node_created{cluster="${marks.cluster}",node="${marks.node}"}`;
  const sets = `kube_replicaset_created{cluster="${marks.cluster}",replicaset=~"${marks.deployment}-.+"}`;
  const [joined] = await ask(options, `max(last_over_time(${node}[${KEPT}]))`, nowMs);
  const created = await ask(options, `max by (replicaset) (last_over_time(${sets}[${KEPT}]))`, nowMs);
  const foundedMs = joined === undefined ? undefined : joined * 1000 + NODE_AGE_MS;
  const after = (ms: number) => foundedMs !== undefined && ms > foundedMs;
  const rolloutsMs = created.map((seconds) => seconds * 1000).filter(after);
  return { reachMs, foundedMs, rolloutsMs: rolloutsMs.sort((a, b) => a - b) };
}

/** The values of an instant query. */
async function ask(options: AskOptions, query: string, atMs: number): Promise<number[]> {
  const { trifocal, clock, signal } = options;
  const get = async (path: string) => {
    const response = await fetch(`${trifocal}${path}`, { signal: deadline(ANSWER_TIMEOUT_MS, signal) });
    const text = await response.text();
    if (response.ok) return text;
    if (response.status < 500 && response.status !== 429)
      throw new RefusedError(trifocal + path, response.status, text);
    throw new Error(`${trifocal}${path} answered ${response.status}: ${text.slice(0, 300)}`);
  };
  const parameters = new URLSearchParams({ query, time: String(atMs / 1000) });
  return retry({
    clock,
    signal,
    backoff: BACKOFF,
    giveUp: (error, attempt) => error instanceof RefusedError || attempt >= ATTEMPTS,
    work: async () => {
      await get('/readyz');
      return valuesOf(await get(`/prometheus/api/v1/query?${parameters}`));
    },
  });
}

function valuesOf(text: string): number[] {
  const { data } = JSON.parse(text) as { data: { result: { value: [number, string] }[] } }; // an instant vector in Prometheus' form
  return data.result.map(({ value }) => Number(value[1]));
}
