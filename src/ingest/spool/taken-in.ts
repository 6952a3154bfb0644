import type { Clock } from '../../base/index.ts';
import { type ClickHousePort, type NewestSamples, newestSamples } from '../../store/index.ts';
import type { RequestMark } from '../sink.ts';
import type { RequestJournal } from './request-journal.ts';
import { readSegment, type Segment } from './segments.ts';

/** What was acknowledged, by earlier processes too. */
export interface TakenIn {
  /** Those of the last minutes: a repetition of one must store nothing. */
  requests: RequestMark[];
  /** How new the samples are that are stored; undefined while the store cannot say. */
  samples?: NewestSamples;
}

export const LOOK_UP_LIMITS = { seconds: 30, memoryBytes: 256 * 1024 ** 2 };

/** `waiting`: of which the store does not know yet. What leaves it meanwhile is in the journal by then. */
export async function readTakenIn(options: {
  folder: string;
  waiting: readonly Segment[];
  journal: RequestJournal;
  port: ClickHousePort;
  clock: Clock;
}): Promise<TakenIn> {
  const { folder, waiting, journal, port, clock } = options;
  const requests: RequestMark[] = [];
  for (const segment of waiting) {
    const content = await readSegment(folder, segment).catch(() => undefined); // who loads it tells what is wrong
    for (const request of content?.requests ?? []) requests.push(request);
  }
  for (const request of await journal.read()) requests.push(request);
  if (waiting.length > 0 || !port.isUp()) return { requests };
  const samples = await newestSamples(port, clock.now(), { limits: LOOK_UP_LIMITS }).catch(() => undefined);
  return samples === undefined ? { requests } : { requests, samples };
}
