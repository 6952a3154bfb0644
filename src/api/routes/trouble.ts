import type { DropState, SourceState } from '../../ingest/index.ts';
import { formatTime, protocolWords, type Scope, scopeAllows } from '../../model/index.ts';
import type { TelemetryResponse, Trouble } from '../contract/index.ts';
import { fixOf } from './drop-fixes.ts';

/** What the banner is made of, as it is now. Times in ms since the epoch. */
export interface TroubleFacts {
  store: { up: boolean; sinceMs: number };
  spool: Pick<TelemetryResponse['spool'], 'state' | 'message'> & { sinceMs: number };
  /** Not while its thread is being started again. */
  ingestUp: boolean;
  nowMs: number;
  sources: readonly Pick<
    SourceState,
    'cluster' | 'kind' | 'name' | 'state' | 'sinceMs' | 'message' | 'usualPauseSeconds'
  >[];
  dropped: readonly DropState[];
}

/** More of one kind are said in one line. */
const SOURCES_BY_NAME = 3;

/**
 * What makes answers stale or incomplete now, critical first. Of a source only what the scope may see; what concerns the
 * whole server is for all. A source counts once it has a rhythm, so that a visitor who left is no trouble.
 */
export function troubleOf(facts: TroubleFacts, scope: Scope): Trouble[] {
  const all = [
    ...ingestTrouble(facts),
    ...storeTrouble(facts),
    ...spoolTrouble(facts),
    ...sourceTrouble(facts, scope),
    ...dropTrouble(facts, scope),
  ];
  return all.sort((a, b) => rank(a) - rank(b) || (a.since < b.since ? -1 : 1));
}

function rank({ severity }: Trouble): number {
  return severity === 'critical' ? 0 : 1;
}

function storeTrouble({ store }: TroubleFacts): Trouble[] {
  if (store.up) return [];
  return [
    {
      id: 'store-down',
      severity: 'critical',
      since: formatTime(store.sinceMs),
      words: 'The store is down: nothing can be read, and what arrives waits on disk.',
      fix: 'It is started again by itself; if it stays down, the log of the server says why.',
    },
  ];
}

function ingestTrouble({ ingestUp, nowMs }: TroubleFacts): Trouble[] {
  if (ingestUp) return [];
  return [
    {
      id: 'ingest-restarting',
      severity: 'critical',
      since: formatTime(nowMs),
      words: 'Ingest is being started again: senders are told to try again in a moment.',
      fix: 'Nothing, unless it comes again: then the log of the server says why.',
    },
  ];
}

const SPOOL_WORDS = {
  behind: {
    severity: 'warning',
    words: 'The store is behind: what arrived last is not in any answer yet',
    fix: 'Wait; if it stays so, send less or give the server faster disks and more CPU.',
  },
  full: {
    severity: 'critical',
    words: 'The spool is full: senders are told to try again, and lose what their own queues do not hold',
    fix: 'Bring the store back, or make it faster; senders deliver what they kept by themselves.',
  },
  'disk-refuses': {
    severity: 'critical',
    words: 'The disk takes nothing more: ingest has stopped, queries go on',
    fix: 'Free space on the disk of the data folder; ingest goes on by itself.',
  },
} as const;

function spoolTrouble({ spool }: TroubleFacts): Trouble[] {
  if (spool.state === 'ok') return [];
  const { severity, words, fix } = SPOOL_WORDS[spool.state];
  const why = spool.message === undefined ? '' : ` (${spool.message})`;
  return [{ id: `spool-${spool.state}`, severity, since: formatTime(spool.sinceMs), words: `${words}${why}.`, fix }];
}

const SOURCE_WORDS = {
  silent: {
    words: (source: string) => `${source} is silent: its latest data is missing`,
    many: (sources: string) => `${sources} are silent: their latest data is missing`,
    fix: 'See whether the sender runs and reaches this server; Telemetry shows when it delivered last.',
  },
  lagging: {
    words: (source: string) => `${source} lags: what it shows is old`,
    many: (sources: string) => `${sources} lag: what they show is old`,
    fix: "See the sender's queue and its clock.",
  },
  refused: {
    words: (source: string) => `${source} is refused: what it sends is not stored`,
    many: (sources: string) => `${sources} are refused: what they send is not stored`,
    fix: 'Mend what the message names; the sender shows the same in its own log.',
  },
} as const;

function sourceTrouble({ sources }: TroubleFacts, scope: Scope): Trouble[] {
  return (['refused', 'silent', 'lagging'] as const).flatMap((state): Trouble[] => {
    const bad = sources
      .filter((source) => source.state === state && scopeAllows(scope, source.cluster, undefined))
      .filter((source) => source.usualPauseSeconds !== null || state === 'refused')
      .sort((a, b) => a.sinceMs - b.sinceMs);
    const [first] = bad;
    if (first === undefined) return [];
    const { words, many, fix } = SOURCE_WORDS[state];
    if (bad.length > SOURCES_BY_NAME) {
      const clusters = [...new Set(bad.map(({ cluster }) => cluster))];
      return [
        {
          id: `sources-${state}`,
          severity: 'warning',
          since: formatTime(first.sinceMs),
          ...(clusters.length === 1 ? { cluster: first.cluster } : {}),
          words: `${many(`${nameOf(first)} and ${bad.length - 1} more sources`)}.`,
          fix,
        },
      ];
    }
    return bad.map((source) => ({
      id: `source-${state} ${source.kind} ${source.cluster} ${source.name}`,
      severity: 'warning',
      since: formatTime(source.sinceMs),
      cluster: source.cluster,
      source: source.name,
      words: `${words(nameOf(source))}${source.message === undefined ? '' : ` (${source.message})`}.`,
      fix,
    }));
  });
}

function nameOf({ kind, name, cluster }: Pick<SourceState, 'kind' | 'name' | 'cluster'>): string {
  return `${protocolWords(kind)}${name === '' ? '' : ` ${name}`} of cluster ${cluster}`;
}

/** Dropping by limits in the last five minutes. Other drops are a sender's fault and stand on the Telemetry page. */
function dropTrouble({ dropped }: TroubleFacts, scope: Scope): Trouble[] {
  return dropped
    .filter(({ reason, perSecond }) => perSecond > 0 && (reason === 'limit_series' || reason === 'limit_labels'))
    .map((drop) => {
      // An example may quote a signal of any cluster, and the label may be one of any.
      const seesAll = scope.kind === 'everything';
      const example = seesAll ? ` (${drop.example})` : '';
      const { label: _, ...unlabelled } = drop;
      return {
        id: `dropped ${drop.reason} ${drop.signal} ${drop.protocol}`,
        severity: 'warning',
        since: formatTime(drop.episodeMs),
        words: `A limit drops ${drop.signal} that come by ${drop.protocol}, ${rateText(drop.perSecond)}${example}.`,
        fix: fixOf(seesAll ? drop : unlabelled),
      };
    });
}

function rateText(perSecond: number): string {
  return perSecond >= 1
    ? `${Math.round(perSecond)} per second`
    : `${Math.max(1, Math.round(perSecond * 60))} per minute`;
}
