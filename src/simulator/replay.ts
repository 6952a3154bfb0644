import type { Clock } from '../base/index.ts';
import { createScrapeRecorder, type ScrapeRecorder } from './doors/scrape-recorder.ts';
import type { Sender } from './doors/sender.ts';
import type { Estate } from './estate.ts';

/** Simulated time between two deliveries. */
const CHUNK_MS = 300_000;
/** What is left between simulated and real time is no longer worth a delivery of its own. */
const CLOSE_ENOUGH_MS = 50;
/** Chunks that may be on their way while the next one is computed; they wait in memory, compressed. */
const CHUNKS_AHEAD = 16;

/**
 * Runs the estate from its own time to the present and sends what an agent would have collected since `fromMs`, until
 * nothing is left between simulated and real time. `at` lists what happens on the way. Resolves when the estate is in
 * the present, with the deliveries that are still under way.
 */
export async function replay(options: {
  estate: Estate;
  sender: Sender;
  clock: Clock;
  fromMs: number;
  at: readonly { ms: number; run: () => void }[];
}): Promise<{ delivered: Promise<void> }> {
  const { estate, sender, clock, fromMs } = options;
  const scrapes = estate.targets.map((target) => ({
    recorder: createScrapeRecorder(target, Math.ceil(CHUNK_MS / target.intervalMs) + 2),
    dueMs: 0,
  }));
  for (const scrape of scrapes) scrape.dueMs = scrape.recorder.nextScrape(fromMs);
  const events = [...options.at].sort((a, b) => a.ms - b.ms);
  const underWay: Promise<void>[] = [];

  runThrough(estate, fromMs, events);
  estate.signals.takeSpans();
  estate.signals.takeLines();
  while (clock.now() - estate.now > CLOSE_ENOUGH_MS) {
    const endMs = Math.min(estate.now + CHUNK_MS, clock.now());
    for (let next = earliest(scrapes); next && next.dueMs <= endMs; next = earliest(scrapes)) {
      runThrough(estate, next.dueMs, events);
      next.recorder.scrape(next.dueMs);
      next.dueMs = next.recorder.nextScrape(next.dueMs + 1);
    }
    runThrough(estate, endMs, events);
    const delivery = deliver(estate, sender, scrapes);
    // A failure is told by `delivered`; until somebody waits for that it must not end the process.
    delivery.catch(() => {});
    underWay.push(delivery);
    await underWay[underWay.length - 1 - CHUNKS_AHEAD];
    await clock.sleep(0);
  }
  return { delivered: Promise.all(underWay).then(() => {}) };
}

async function deliver(
  estate: Estate,
  sender: Sender,
  scrapes: readonly { recorder: ScrapeRecorder }[],
): Promise<void> {
  await Promise.all([
    sender.samples(scrapes.flatMap(({ recorder }) => recorder.take())),
    sender.spans(estate.signals.takeSpans()),
    sender.lines(estate.signals.takeLines()),
  ]);
}

function runThrough(estate: Estate, toMs: number, events: { ms: number; run: () => void }[]): void {
  for (let event = events[0]; event && event.ms <= toMs; event = events[0]) {
    events.shift();
    estate.runTo(event.ms);
    event.run();
  }
  estate.runTo(toMs);
}

function earliest<T extends { dueMs: number }>(scrapes: readonly T[]): T | undefined {
  let first: T | undefined;
  for (const scrape of scrapes) if (!first || scrape.dueMs < first.dueMs) first = scrape;
  return first;
}
