import { type LabelSet, labelKey, type Series, UNKNOWN_CLUSTER } from '../../../model/index.ts';
import { createSeriesCache } from '../wire/index.ts';
import type { Exponential } from './exponential.ts';
import { createKeyLocks } from './key-locks.ts';

/**
 * What is remembered between requests of each stream of points and each series that they become. Bounded: what is not
 * heard of while many others come is forgotten; a delta stream then begins again at zero, which readers see as a reset.
 */
export interface Streams {
  /** The stream of points with this key, made with its labels when it is new. */
  stream(key: string, labels: () => LabelSet): Stream;
  /** Of the series with these labels from that cluster; empty when the receiver named none. */
  series(cluster: string, labels: LabelSet): SeriesState;
  /** A number for the text that tells a writer from others. */
  writer(text: string): number;
  /**
   * Runs one request with delta streams. What it adds is kept when `work` resolves and undone when it throws, since the
   * sender will then come again with the same points. Requests with an owner of series in common take turns.
   */
  takeTurn<T>(owners: ReadonlySet<string>, work: (changes: Changes) => Promise<T>): Promise<T>;
}

/** What one request changes. */
export interface Changes {
  undo: Undo;
  /** Undoes all of it. */
  forget(): void;
}

/** Notes how something that was just changed goes back to what it was. */
export type Undo = (back: () => void) => void;

export interface Stream {
  readonly labels: LabelSet;
  /** The series of its points, in the order in which they are made of a point; `shape` says for which buckets. */
  parts: SeriesState[];
  shape: readonly number[];
  /** Time of its last delta point. */
  lastMs: number;
}

export interface SeriesState {
  readonly series: Series;
  /** Sum of the deltas, and when the first of them began. */
  total: number;
  histogram: Exponential | undefined;
  startMs: number;
  /** Time of the last sample made of deltas. */
  lastMs: number;
  owner: Owner | undefined;
}

interface Owner {
  writer: number;
  lastMs: number;
  /** Those whom it replaced while they may still be there, newest last. */
  replaced: readonly number[];
}

/** After this long without a point, a series is anybody's again. */
const SILENCE_MS = 5 * 60_000;
const MOST_REPLACED = 8;

/**
 * Whether a point of this writer belongs to the series. A writer that nobody has seen takes over, as after a restart; one
 * that was replaced and comes again runs beside the new one, and its points are refused as long as that goes on.
 */
export function ownSeries(state: SeriesState, writer: number, timeMs: number): boolean {
  const { owner } = state;
  if (owner === undefined || timeMs - owner.lastMs > SILENCE_MS) {
    state.owner = { writer, lastMs: timeMs, replaced: [] };
    return true;
  }
  if (owner.writer === writer) {
    owner.lastMs = Math.max(owner.lastMs, timeMs);
    return true;
  }
  // History that comes late says nothing about who writes now.
  if (timeMs < owner.lastMs - SILENCE_MS) return true;
  if (owner.replaced.includes(writer)) return false;
  const replaced = [...owner.replaced, owner.writer].slice(-MOST_REPLACED);
  state.owner = { writer, lastMs: Math.max(owner.lastMs, timeMs), replaced };
  return true;
}

export function createStreams(size = 100_000): Streams {
  const streams = createSeriesCache<Stream>(size);
  const states = createSeriesCache<SeriesState>(size * 2);
  const writers = createSeriesCache<number>(size);
  const turns = createKeyLocks();
  let writerCount = 0;
  return {
    stream(key, labels) {
      let stream = streams.get(key);
      if (stream === undefined) {
        stream = { labels: labels(), parts: [], shape: [], lastMs: Number.NEGATIVE_INFINITY };
        streams.set(key, stream);
      }
      return stream;
    },
    series(cluster, labels) {
      // With its length, as a name may hold whatever would separate it.
      const key = `${cluster.length},${cluster}${labelKey(labels)}`;
      let state = states.get(key);
      if (state === undefined) {
        state = {
          series: { labels, cluster: UNKNOWN_CLUSTER },
          total: 0,
          histogram: undefined,
          startMs: Number.NaN,
          lastMs: Number.NEGATIVE_INFINITY,
          owner: undefined,
        };
        states.set(key, state);
      }
      return state;
    },
    writer(text) {
      let number = writers.get(text);
      if (number === undefined) {
        number = ++writerCount;
        writers.set(text, number);
      }
      return number;
    },
    takeTurn: (owners, work) =>
      turns.hold(owners, async () => {
        const backs: (() => void)[] = [];
        const forget = () => {
          while (backs.length > 0) backs.pop()?.();
        };
        try {
          return await work({ undo: (back) => backs.push(back), forget });
        } catch (error) {
          forget();
          throw error;
        }
      }),
  };
}
