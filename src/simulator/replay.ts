import type { Clock } from '../base/index.ts';
import type { SampleRun } from './doors/remote-write.ts';
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
 * the present, with the deliveries that are still under way and the agent, which goes on with the jobs of `agentJobs`.
 */
export async function replay(options: {
  estate: Estate;
  sender: Sender;
  clock: Clock;
  fromMs: number;
  at: readonly { ms: number; run: () => void }[];
  /** Jobs that the agent keeps scraping in the present, since nobody else does. */
  agentJobs: readonly string[];
}): Promise<{ delivered: Promise<void>; agent: Agent }> {
  const { estate, sender, clock, fromMs } = options;
  const scraping = createScraping(estate);
  const events = [...options.at].sort((a, b) => a.ms - b.ms);
  const underWay: Promise<void>[] = [];

  runThrough(estate, fromMs, events);
  // What ran before is not told, so counters have to begin here: a first value that is high would look like a burst.
  for (const { page } of estate.targets) page.restart();
  scraping.follow(fromMs);
  estate.signals.takeSpans();
  estate.signals.takeLines();
  while (clock.now() - estate.now > CLOSE_ENOUGH_MS) {
    const endMs = Math.min(estate.now + CHUNK_MS, clock.now());
    for (let dueMs = scraping.dueMs(); dueMs <= endMs; dueMs = scraping.dueMs()) {
      runThrough(estate, dueMs, events);
      scraping.follow(dueMs);
      scraping.scrape(dueMs);
    }
    runThrough(estate, endMs, events);
    const delivery = deliver(estate, sender, scraping.take());
    // A failure is told by `delivered`; until somebody waits for that it must not end the process.
    delivery.catch(() => {});
    underWay.push(delivery);
    await underWay[underWay.length - 1 - CHUNKS_AHEAD];
    await clock.sleep(0);
  }
  scraping.leave((target) => !options.agentJobs.includes(target.job));
  return { delivered: Promise.all(underWay).then(() => {}), agent: { collect: () => collect(estate, scraping) } };
}

/** Scrapes what is due in the present, as the agent on the estate's nodes does; hands out what it has to deliver. */
export interface Agent {
  collect(): readonly SampleRun[];
}

function collect(estate: Estate, scraping: Scraping): readonly SampleRun[] {
  for (let dueMs = scraping.dueMs(); dueMs <= estate.now; dueMs = scraping.dueMs()) scraping.scrape(dueMs);
  return scraping.take();
}

async function deliver(estate: Estate, sender: Sender, runs: readonly SampleRun[]): Promise<void> {
  await Promise.all([
    sender.samples(runs),
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

interface Scrape {
  target: Estate['targets'][number];
  recorder: ScrapeRecorder;
  dueMs: number;
}

type Scraping = ReturnType<typeof createScraping>;

/** Scrapes all targets that the estate has, each on its own grid. */
function createScraping(estate: Estate) {
  const scrapes = new Map<string, Scrape>();
  const ended: SampleRun[] = [];
  let known: Estate['targets'] = [];
  return {
    /** Takes up new targets, due from `atMs` on, and ends those that are gone. */
    follow(atMs: number): void {
      if (estate.targets === known) return;
      known = estate.targets;
      const paths = new Set(known.map(({ path }) => path));
      for (const [path, { recorder }] of scrapes) {
        if (paths.has(path)) continue;
        recorder.end(atMs);
        ended.push(...recorder.take());
        scrapes.delete(path);
      }
      for (const target of known) {
        if (scrapes.has(target.path)) continue;
        const recorder = createScrapeRecorder(target, Math.ceil(CHUNK_MS / target.intervalMs) + 3);
        scrapes.set(target.path, { target, recorder, dueMs: recorder.nextScrape(atMs) });
      }
    },
    /** Others go on with these targets: no more scrapes, and no stale markers either. */
    leave(others: (target: Estate['targets'][number]) => boolean): void {
      for (const [path, { target }] of scrapes) if (others(target)) scrapes.delete(path);
    },
    /** The time of the next scrape. */
    dueMs: () => Math.min(...[...scrapes.values()].map(({ dueMs }) => dueMs)),
    scrape(atMs: number): void {
      for (const scrape of scrapes.values()) {
        if (scrape.dueMs > atMs) continue;
        scrape.recorder.scrape(scrape.dueMs);
        scrape.dueMs = scrape.recorder.nextScrape(scrape.dueMs + 1);
      }
    },
    /** Everything since the last call. */
    take: (): SampleRun[] => [...ended.splice(0), ...[...scrapes.values()].flatMap(({ recorder }) => recorder.take())],
  };
}
