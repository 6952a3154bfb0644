import type { Clock } from '../../base/index.ts';
import type { DoorAnswer } from '../doors/index.ts';
import type { BatchOrigin, RequestMark } from '../sink.ts';
import { createRequestWindow } from './request-window.ts';

/** Sees to it that a request which its sender repeats is stored once. Doors and sink share one. */
export interface Repetitions {
  /**
   * Runs `work` for a request that is not known, and answers a repetition as the first was. When an earlier process gave that
   * answer, `work` runs to find it, and what it gives to the sink is not to be stored: `isRepetition`.
   */
  once(mark: RequestMark, origin: BatchOrigin, work: () => Promise<DoorAnswer>): Promise<DoorAnswer>;
  /** The signals of the request, all of them, are on disk under its mark. */
  stored(mark: RequestMark): void;
  /** Whether it only looks for its answer. */
  isRepetition(mark: RequestMark): boolean;
}

/** `recent`: what earlier processes took in. */
export function createRepetitions(options: {
  clock: Clock;
  recent: readonly RequestMark[];
  onRepeated: (origin: BatchOrigin) => void;
}): Repetitions {
  const { clock, recent, onRepeated } = options;
  const window = createRequestWindow<DoorAnswer>({ clock, recent, weigh: ({ body }) => body.length });
  const stored = new WeakSet<RequestMark>();
  const repetitions = new WeakSet<RequestMark>();
  return {
    async once(mark, origin, work) {
      const answer = await window.once({
        hash: mark.hash,
        work: async () => ({ answer: await work(), kept: stored.has(mark) }),
        again(first) {
          onRepeated(origin);
          if (first !== undefined) return first;
          repetitions.add(mark);
          return work();
        },
      });
      // What is answered is given away to another thread, and may be asked for again.
      return answer.body.length === 0 ? answer : { ...answer, body: answer.body.slice() };
    },
    stored: (mark) => void stored.add(mark),
    isRepetition: (mark) => repetitions.has(mark),
  };
}
