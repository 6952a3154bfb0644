import type { TelemetryResponse } from '../../../api/contract/index.ts';
import { rankOfState, type State } from '../../components/state.ts';
import { reasonWords } from '../../components/telemetry/drop-words.ts';
import { hasLeft, lookOf, type Source, sourceName, troubledSources } from '../../components/telemetry/source-state.ts';
import { coarse, counted, formatValue, sentence } from '../../format/index.ts';

export type Drop = TelemetryResponse['dropped'][number];

/** What is being dropped now: within the last five minutes. */
export function activeDrops(drops: readonly Drop[]): Drop[] {
  return drops.filter((drop) => drop.perSecond > 0).sort((a, b) => b.perSecond - a.perSecond);
}

export interface Verdict {
  state: State;
  words: string;
}

type Told = Pick<TelemetryResponse, 'dropped' | 'spool' | 'store'>;

/** Can what is shown be trusted: who is silent, what is dropped, is the store behind. In one or two sentences. */
export function verdictOf(data: Told, sources: readonly Source[], now: number): Verdict {
  const parts = [storeVerdict(data), sourcesVerdict(sources, now), dropsVerdict(data.dropped)].filter(
    (part) => part !== undefined,
  );
  const state = parts.map((part) => part.state).sort((a, b) => rankOfState(a) - rankOfState(b))[0];
  if (state !== undefined) return { state, words: parts.map((part) => sentence(part.words)).join(' ') };
  if (sources.length === 0) return { state: 'unknown', words: 'Nothing has been sent here yet.' };
  const steady = sources.filter((source) => !hasLeft(source)).length;
  if (steady === 0) return { state: 'idle', words: 'Nobody sends here regularly.' };
  const deliver = steady === 1 ? 'The one source delivers' : `All ${steady} sources deliver`;
  return { state: 'ok', words: `${deliver}, nothing is being dropped, and the store keeps up.` };
}

function storeVerdict({ store, spool }: Told): Verdict | undefined {
  if (!store.up)
    return {
      state: 'critical',
      words: 'The store is down: what arrives is kept in the spool, and nothing can be read.',
    };
  if (spool.state === 'disk-refuses')
    return { state: 'critical', words: 'The disk takes nothing more: senders are told to come back later.' };
  if (spool.state === 'full')
    return { state: 'critical', words: 'The spool is full: senders are told to come back later.' };
  if (spool.state === 'behind')
    return {
      state: 'warning',
      words: `The store is behind: the newest ${formatValue(spool.oldestSeconds, 's')} cannot be seen yet.`,
    };
  return undefined;
}

function sourcesVerdict(sources: readonly Source[], now: number): Verdict | undefined {
  const bad = troubledSources(sources);
  const [first] = bad;
  if (first === undefined) return undefined;
  const { state } = lookOf(first);
  const others =
    bad.length === 1
      ? ''
      : `, and ${counted(bad.length - 1, 'other source', 'other sources')} of ${sources.length} cannot be trusted either`;
  return { state, words: `${sourceName(first)} of ${first.cluster} ${howBad(first, now)}${others}.` };
}

/** `is silent for 6 m`, as the end of a sentence. */
export function howBad(source: Source, now: number): string {
  const since = source.lastSeen === null ? undefined : coarse(Math.max(0, now - Date.parse(source.lastSeen)) / 1000);
  if (hasLeft(source)) return since === undefined ? 'was never heard' : `came a few times, last ${since} ago`;
  if (source.state === 'silent') return since === undefined ? 'was never heard' : `has been silent for ${since}`;
  if (source.state === 'lagging')
    return source.lagSeconds === null ? 'is late' : `delivers ${coarse(source.lagSeconds)} late`;
  return source.state === 'refused' ? 'is refused' : 'delivers';
}

function dropsVerdict(drops: readonly Drop[]): Verdict | undefined {
  const [first, ...rest] = activeDrops(drops);
  if (first === undefined) return undefined;
  const label = first.label ? ` by the label ${first.label}` : '';
  const more = rest.length === 0 ? '' : ` and for ${counted(rest.length, 'other reason')}`;
  return {
    state: 'warning',
    words: `${rateWords(first)} are dropped: ${reasonWords(first.reason)}${label}${more}.`,
  };
}

/** `12 samples per second`; what is rarer is told by the minute. */
function rateWords({ perSecond, signal }: Drop): string {
  return perSecond < 1
    ? `${formatValue(perSecond * 60, '')} ${signal} per minute`
    : `${formatValue(perSecond, '')} ${signal} per second`;
}
