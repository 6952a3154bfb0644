import { anySignal, type Clock, isAbort, systemClock } from '../base/index.ts';
import { createLogger } from '../base/node/index.ts';
import { formatTime } from '../model/index.ts';
import { type ClusterPlan, defaultEstate } from './blueprint.ts';
import { createSender, type Sender } from './doors/sender.ts';
import { whenStored } from './doors/stored.ts';
import { createEstate, type Estate } from './estate.ts';
import { parseOptions, type SimulatorOptions } from './options.ts';
import { type AskOptions, askPast, planHistory } from './past.ts';
import { type Agent, replay } from './replay.ts';
import { AGENT_JOBS, serveEstate } from './server.ts';

/** The estate runs this long unseen before its history begins, so that queues and temperatures have settled. */
const WARM_UP_MS = 300_000;
const STEP_MS = 250;
const PUSH_EVERY_MS = 2000;
const STORED_LIMIT_MS = 120_000;

// Nothing real passes through a simulation, so there is nothing to redact.
const logger = createLogger({ level: 'info', format: 'text', redact: (line) => line });
const stop = new AbortController();
for (const event of ['SIGTERM', 'SIGINT'] as const) process.on(event, () => stop.abort());
process.stdin.on('end', () => stop.abort()).on('close', () => stop.abort());
process.stdin.resume();

try {
  await run(parseOptions(process.argv.slice(2)), systemClock, stop.signal);
} catch (error) {
  if (!isAbort(error) && !stop.signal.aborted) {
    const message = error instanceof Error ? error.message : String(error);
    report({ event: 'error', message });
    logger.error({ error: error instanceof Error ? error.stack : message }, 'the simulator failed');
    process.exitCode = 1;
  }
}
process.exit();

/**
 * Replays the history up to the present, then opens the estate's own doors (pages scraped before that would show the past), and
 * lives on until the signal aborts.
 */
async function run(options: SimulatorOptions, clock: Clock, signal: AbortSignal): Promise<void> {
  const { trifocal, otlp, seed, historyMs, fault } = options;
  const plan = defaultEstate();
  const past = await askPast({
    trifocal,
    clusters: plan.map(({ name }) => name),
    marks: marksOf(plan),
    historyMs,
    clock,
    signal,
  });
  const startedMs = clock.now();
  const { fromMs, ...times } = planHistory(past, startedMs, historyMs);
  if (fromMs > startedMs - historyMs) logger.info({ from: formatTime(fromMs) }, 'goes on where the data ends');
  const estate = createEstate({ seed, startMs: fromMs - WARM_UP_MS, ...times, plan });
  const sender = createSender({ trifocal, otlp, clock, signal });
  const faultMs = startedMs - options.faultStartedMs;
  // A fault that is older than the stretch has had its effect when that begins.
  const startFaultMs = faultMs > fromMs ? faultMs : estate.now;
  const at = fault ? [{ ms: startFaultMs, run: () => void estate.startFault({ fault }) }] : [];
  const { delivered, agent } = await replay({ estate, sender, clock, fromMs, at, agentJobs: AGENT_JOBS });

  const presentMs = clock.now();
  const present = () => estate.runTo(presentMs + (clock.now() - presentMs) * options.speed);
  const servers = await serveEstate(estate, present);
  report({ event: 'listening', clusters: servers.connections, control: servers.controlUrl });
  const failed = new AbortController();
  const history = delivered.then(async () => {
    if (!(await whenStored({ trifocal, limitMs: STORED_LIMIT_MS, clock, signal })))
      logger.warn({}, 'the history is acknowledged, but can perhaps not be asked for yet');
    const seconds = Math.round(clock.now() - startedMs) / 1000;
    report({ event: 'replayed', seconds, ...sender.sent });
    logger.info({ seconds, ...sender.sent }, 'history delivered');
    report({ event: 'live' });
  });
  try {
    await Promise.all([
      history.catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
      live({ estate, sender, agent, clock, present, signal: anySignal(signal, failed.signal) }),
    ]);
  } finally {
    servers.close();
  }
}

/** By what an earlier run of this estate is known in the data. */
function marksOf(plan: readonly ClusterPlan[]): AskOptions['marks'] {
  const cluster = plan.find(({ releasing }) => releasing !== undefined);
  return { cluster: cluster?.name ?? '', node: cluster?.nodes[0]?.name ?? '', deployment: cluster?.releasing ?? '' };
}

/** Keeps the estate in the present and sends spans, lines and the agent's samples as they come; other scraping is the other side's work. */
async function live(options: {
  estate: Estate;
  sender: Sender;
  agent: Agent;
  clock: Clock;
  present: () => void;
  signal: AbortSignal;
}): Promise<void> {
  const { estate, sender, agent, clock, present, signal } = options;
  let pushedMs = clock.monotonic();
  while (!signal.aborted) {
    await clock.sleep(STEP_MS, signal);
    present();
    if (clock.monotonic() - pushedMs < PUSH_EVERY_MS) continue;
    pushedMs = clock.monotonic();
    const push = [
      sender.spans(estate.signals.takeSpans()),
      sender.lines(estate.signals.takeLines()),
      sender.samples(agent.collect()),
    ];
    void Promise.all(push).catch((error: unknown) => {
      if (signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      report({ event: 'error', message });
      logger.warn({ error: message }, 'some signals were not delivered');
    });
  }
}

/** One line of JSON on standard output, for whoever started this process. */
function report(event: { event: string } & Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
