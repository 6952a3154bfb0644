import { UNKNOWN_CLUSTER } from '../model/index.ts';
import { RollingCount } from './rolling-count.ts';
import type { BatchOrigin } from './sink.ts';

/** What delivers, and how it does. Times in ms since the epoch; totals since the server started. */
export interface SourceState {
  cluster: string;
  /** The protocol: `otlp`, `remote-write`, `loki`, `scrape`, `kubernetes`, `import`. */
  kind: string;
  /** The sender as its connection tells; `other senders` for those beyond the bound. */
  name: string;
  state: 'connected' | 'lagging' | 'silent' | 'refused';
  /** Since when the state holds, as far as that is known. */
  sinceMs: number;
  lastSeenMs: number | null;
  /** How old the newest signal was when it arrived. */
  lagSeconds: number | null;
  /** Pauses between deliveries that were far longer than usual. */
  gaps: number;
  /** Signals per second over the last minute. */
  perSecond: number;
  requests: number;
  items: number;
  bytes: number;
  dropped: number;
  repeated: number;
  /** Signals per minute, of the last hour. */
  perMinute: number[];
  /** Null until it has delivered often enough to have a rhythm. */
  usualPauseSeconds: number | null;
  /** Why it is not connected, and what to do. */
  message?: string;
}

export interface SourceLog {
  delivered(cluster: string, origin: BatchOrigin, what: { items: number; bytes: number; newestMs: number }): void;
  /** All of a request was refused: the sender shows it until it delivers again. */
  refused(cluster: string | undefined, origin: BatchOrigin, message: string): void;
  /** Counted where the sender is known already. */
  dropped(origin: BatchOrigin, count: number): void;
  /** A request that had been stored before. */
  repeated(origin: BatchOrigin): void;
  states(): SourceState[];
}

const MAX_SOURCES = 500;
const OTHERS = 'other senders';
/** A source is lagging when its newest signal is this old, silent when nothing came for this long or 5 usual pauses. */
const LAG_SECONDS = 120;
const SILENCE_MS = 180_000;
const GAP_MS = 60_000;
const RHYTHM_AFTER = 5;
/** One that does not come back is forgotten: addresses of pods change with every rollout. */
const FORGET_MS = 86_400_000;
const FORGET_VISITOR_MS = 3_600_000;

interface Source {
  cluster: string;
  kind: string;
  name: string;
  firstSeenMs: number;
  /** Of the last delivery; NaN before the first. */
  lastSeenMs: number;
  /** Of the last sign of life, refused ones included. */
  lastHeardMs: number;
  lagSeconds: number | null;
  laggingSinceMs: number;
  usualPauseMs: number;
  requests: number;
  items: number;
  bytes: number;
  dropped: number;
  repeated: number;
  gaps: number;
  recent: RollingCount;
  history: RollingCount;
  refusal: { message: string; sinceMs: number } | undefined;
}

/** Keeps the state of every sender per cluster; of at most 500, the rest share one per protocol and cluster. */
export function createSourceLog(clock: { now(): number }): SourceLog {
  const sources = new Map<string, Source>();
  /** By protocol and sender: where what belongs to no cluster is shown. */
  const latest = new Map<string, Source>();

  const forgetGone = (now: number) => {
    for (const [key, source] of sources) {
      const after = source.requests > RHYTHM_AFTER ? FORGET_MS : FORGET_VISITOR_MS;
      if (now - source.lastHeardMs > after) sources.delete(key);
    }
    for (const [key, source] of latest) if (!sources.has(keyOf(source))) latest.delete(key);
  };
  const sourceOf = (cluster: string, kind: string, sender: string): Source => {
    const key = keyOf({ cluster, kind, name: sender });
    const known = sources.get(key);
    if (known !== undefined) return known;
    const now = clock.now();
    if (sources.size >= MAX_SOURCES) forgetGone(now);
    if (sources.size >= MAX_SOURCES && sender !== OTHERS) return sourceOf(cluster, kind, OTHERS);
    const source = newSource(cluster, kind, sender, now);
    sources.set(key, source);
    return source;
  };
  const senderKey = ({ protocol, sender = '' }: BatchOrigin) => `${protocol} ${sender}`;
  const ofOrigin = (origin: BatchOrigin, cluster: string | undefined): Source => {
    const known = cluster === undefined ? latest.get(senderKey(origin)) : undefined;
    if (known !== undefined) return known;
    return sourceOf(cluster ?? origin.cluster ?? UNKNOWN_CLUSTER, origin.protocol, origin.sender ?? '');
  };

  return {
    delivered(cluster, origin, { items, bytes, newestMs }) {
      const now = clock.now();
      const source = ofOrigin(origin, cluster);
      if (source.name !== OTHERS) latest.set(senderKey(origin), source);
      noteRhythm(source, now);
      source.lastSeenMs = now;
      source.lastHeardMs = now;
      source.refusal = undefined;
      source.requests++;
      source.items += items;
      source.bytes += bytes;
      source.recent.add(items, now);
      source.history.add(items, now);
      if (!Number.isFinite(newestMs)) return;
      const lag = Math.max(0, (now - newestMs) / 1000);
      if (lag > LAG_SECONDS && (source.lagSeconds ?? 0) <= LAG_SECONDS) source.laggingSinceMs = now;
      source.lagSeconds = lag;
    },
    refused(cluster, origin, message) {
      const source = ofOrigin(origin, cluster);
      source.lastHeardMs = clock.now();
      source.refusal = { message, sinceMs: source.refusal?.sinceMs ?? clock.now() };
    },
    dropped(origin, count) {
      const source = latest.get(senderKey(origin));
      if (source !== undefined) source.dropped += count;
    },
    repeated(origin) {
      const source = ofOrigin(origin, undefined);
      source.repeated++;
      source.lastHeardMs = clock.now();
      source.lastSeenMs = clock.now();
    },
    states() {
      const now = clock.now();
      forgetGone(now);
      return [...sources.values()].map((source) => stateOf(source, now));
    },
  };
}

function keyOf({ cluster, kind, name }: Pick<Source, 'cluster' | 'kind' | 'name'>): string {
  return `${kind} ${cluster} ${name}`;
}

function newSource(cluster: string, kind: string, name: string, now: number): Source {
  return {
    cluster,
    kind,
    name,
    firstSeenMs: now,
    lastSeenMs: Number.NaN,
    lastHeardMs: now,
    lagSeconds: null,
    laggingSinceMs: now,
    usualPauseMs: 0,
    requests: 0,
    items: 0,
    bytes: 0,
    dropped: 0,
    repeated: 0,
    gaps: 0,
    recent: new RollingCount(12, 5_000),
    history: new RollingCount(60, 60_000),
    refusal: undefined,
  };
}

function noteRhythm(source: Source, now: number): void {
  if (Number.isNaN(source.lastSeenMs)) return;
  const pause = now - source.lastSeenMs;
  if (source.requests > RHYTHM_AFTER && pause > Math.max(GAP_MS, 5 * source.usualPauseMs)) source.gaps++;
  else source.usualPauseMs += (pause - source.usualPauseMs) * 0.1;
}

function stateOf(source: Source, now: number): SourceState {
  const { cluster, kind, name, gaps, lagSeconds, requests, items, bytes, dropped, repeated, lastSeenMs } = source;
  const watchedSeconds = Math.min(60, Math.max(1, (now - source.firstSeenMs) / 1000));
  const hasRhythm = requests > RHYTHM_AFTER;
  const seen = !Number.isNaN(lastSeenMs);
  return {
    cluster,
    kind,
    name,
    lastSeenMs: seen ? lastSeenMs : null,
    lagSeconds,
    gaps,
    perSecond: source.recent.sum(now) / watchedSeconds,
    requests,
    items,
    bytes,
    dropped,
    repeated,
    perMinute: source.history.list(now),
    usualPauseSeconds: hasRhythm ? source.usualPauseMs / 1000 : null,
    ...judge(source, now),
  };
}

/** An import brings what is old, and ends: whatever door it takes, it cannot lag or fall silent. */
function isImport({ kind, name }: Pick<Source, 'kind' | 'name'>): boolean {
  return kind === 'import' || /(?:^| )trifocal[^ ]*$/.test(name);
}

function judge(source: Source, now: number): Pick<SourceState, 'state' | 'sinceMs' | 'message'> {
  const { refusal, lastSeenMs, lagSeconds, usualPauseMs } = source;
  if (refusal !== undefined) return { state: 'refused', sinceMs: refusal.sinceMs, message: refusal.message };
  if (isImport(source)) return { state: 'connected', sinceMs: source.firstSeenMs };
  const silence = now - lastSeenMs;
  if (!(silence <= Math.max(SILENCE_MS, 5 * usualPauseMs))) {
    const usual = source.requests > RHYTHM_AFTER ? `, usually ${often(usualPauseMs)}` : '';
    const message = `nothing came for ${duration(silence)}${usual}: see whether the sender runs and reaches this address`;
    return { state: 'silent', sinceMs: lastSeenMs, message };
  }
  if ((lagSeconds ?? 0) > LAG_SECONDS) {
    const message = `its newest signal was ${duration((lagSeconds ?? 0) * 1000)} old when it came: the sender is behind, or its clock is`;
    return { state: 'lagging', sinceMs: source.laggingSinceMs, message };
  }
  return { state: 'connected', sinceMs: source.firstSeenMs };
}

/** `many times a second`, `every 0.4 s`. */
function often(pauseMs: number): string {
  return pauseMs < 100 ? 'many times a second' : `every ${duration(pauseMs)}`;
}

/** `0.4 s`, `45 s`, `12 min`, `5 h`. */
function duration(ms: number): string {
  if (ms < 10_000) return `${Math.round(ms / 100) / 10} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}
