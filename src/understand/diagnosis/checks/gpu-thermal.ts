import type { Entity } from '../../../model/index.ts';
import {
  type CheckContext,
  contradicts,
  defineCheck,
  type Excluded,
  type FoundFact,
  type Hypothesis,
  NO_GPU,
  supports,
} from '../check.ts';
import type { Readings } from '../need.ts';
import { difference, has, type Reading, ratio, shiftOf } from '../reading.ts';
import { median } from '../robust.ts';
import { CLOCK_DROP, CLOCK_DROP_OVER_PEERS, HOT, HOTTER, THROTTLED_SHARE } from '../thresholds.ts';
import { timeAt } from '../window.ts';
import { amount, listed, nameOf } from '../words.ts';

/**
 * A card that lowers its clocks for heat. Must move: its clock down, more than its peers'; the thermal reason, or else
 * its temperature. Must not: its temperature down. How busy it is says nothing either way.
 */
export const gpuThermal = defineCheck({
  question: 'gpu',
  needs: {
    clock: { signal: 'gpu.sm_clock', of: 'node-gpus', by: 'gpu' },
    thermal: { signal: 'gpu.throttle.thermal', of: 'node-gpus', by: 'gpu' },
    power: { signal: 'gpu.throttle.power', of: 'node-gpus', by: 'gpu', optional: true },
    temperature: { signal: 'gpu.temperature', of: 'node-gpus', by: 'gpu' },
    utilization: { signal: 'gpu.utilization', of: 'node-gpus', by: 'gpu', optional: true },
  },
  judge(context, readings) {
    const { focus, estate } = context;
    if (focus.gpus.length === 0) return NO_GPU;
    if (readings.clock.all.length === 0 && readings.thermal.all.length === 0) {
      return {
        status: 'unknown',
        summary: 'Clocks and throttle reasons of its GPUs are not collected.',
        findings: [],
        hypotheses: [],
        ruledOut: [],
      };
    }
    const cards = focus.gpus.map((gpu) => lookAt(gpu, context, readings));
    const throttled = cards.filter((card) => card.strength > 0);
    const findings = throttled.map(
      (card): FoundFact => ({ severity: 'critical', entity: card.gpu.ref, summary: card.sentence, cites: card.cites }),
    );
    const hypotheses = throttled.map((card): Hypothesis => {
      const pods = estate
        .from(card.gpu.ref, 'uses', 'pod')
        .filter((pod) => focus.pods.some((own) => own.ref === pod.ref));
      return {
        mechanism: 'gpu-thermal-throttle',
        entity: card.gpu.ref,
        strength: card.strength,
        since: card.since,
        pods: pods.map((pod) => pod.ref),
        via: [card.gpu.ref, ...pods.slice(0, 1).map((pod) => pod.ref)],
        summary: card.sentence,
        cites: card.cites,
      };
    });
    const steady = cards.filter((card) => card.steady);
    const ruledOut: Excluded[] =
      throttled.length === 0 && steady.length > 0
        ? [{
            mechanism: 'gpu-thermal-throttle',
            entity: focus.self.ref,
            because: `clocks of ${listed(steady.map((card) => nameOf(estate, card.gpu.ref)))} stay where they usually are and no thermal limit is active`,
            cites: contradicts(...steady.slice(0, 4).flatMap((card) => [card.clock, card.thermal])),
          }] // biome-ignore format: one entry
        : [];
    return {
      status: throttled.length > 0 ? 'problem' : steady.length > 0 ? 'ok' : 'unknown',
      summary: throttled.length > 0 ? throttled.map((card) => card.sentence).join(' ') : summaryOf(cards),
      findings,
      hypotheses,
      ruledOut,
    };
  },
});

interface Card {
  gpu: Entity;
  clock: Reading | undefined;
  thermal: Reading | undefined;
  strength: number;
  since: number | undefined;
  steady: boolean;
  sentence: string;
  cites: FoundFact['cites'];
}

type Inputs = { clock: Readings; thermal: Readings; power: Readings; temperature: Readings; utilization: Readings };

function lookAt(gpu: Entity, context: CheckContext, readings: Inputs): Card {
  const clock = readings.clock.of(gpu.ref);
  const thermal = readings.thermal.of(gpu.ref);
  const temperature = readings.temperature.of(gpu.ref);
  const power = readings.power.of(gpu.ref);
  const drop = dropOf(clock, readings.clock.all);
  const slowed = drop !== undefined && drop.own >= CLOCK_DROP && drop.own - drop.peers >= CLOCK_DROP_OVER_PEERS;
  const limited = has(thermal) && thermal.during >= THROTTLED_SHARE && !(difference(thermal) < THROTTLED_SHARE);
  const hot = has(temperature) && isHot(temperature, readings.temperature.all);
  const cooled = difference(temperature) < -2;
  const capped = has(power) && power.during >= THROTTLED_SHARE && difference(power) >= THROTTLED_SHARE;
  const strength = cooled
    ? 0
    : strengthOf({
        slowed,
        limited,
        hot,
        capped,
        reasons: has(thermal),
        clocks: drop !== undefined,
        heat: has(temperature),
      });
  const starts = [
    clock && shiftOf(clock, context.frame, 'down'),
    thermal && shiftOf(thermal, context.frame, 'up'),
  ].flatMap((shift) => (shift ? [timeAt(context.frame, shift.start)] : []));
  return {
    gpu,
    clock,
    thermal,
    strength,
    since: starts.length > 0 ? Math.min(...starts) : undefined,
    steady: drop !== undefined && drop.own < CLOCK_DROP / 2 && !limited,
    sentence: `${nameOf(context.estate, gpu.ref)} throttles for heat: ${details(clock, thermal, temperature)}.`,
    cites: [...supports(clock, thermal, temperature)],
  };
}

/** How far a clock fell below its usual, and the middle of its peers; without history, below its peers. */
function dropOf(clock: Reading | undefined, all: readonly Reading[]): { own: number; peers: number } | undefined {
  if (!has(clock)) return undefined;
  const peers = all.filter((other) => other.entity !== clock.entity && has(other));
  const own = 1 - ratio(clock);
  if (Number.isFinite(own)) {
    const theirs = median(peers.map((peer) => 1 - ratio(peer)));
    return { own, peers: Number.isFinite(theirs) ? theirs : 0 };
  }
  const usual = median(peers.map((peer) => peer.during));
  return Number.isFinite(usual) && usual > 0 ? { own: 1 - clock.during / usual, peers: 0 } : undefined;
}

function isHot(temperature: Reading, all: readonly Reading[]): boolean {
  const peers = median(all.filter((other) => other.entity !== temperature.entity).map((other) => other.during));
  return temperature.during >= HOT || difference(temperature) >= HOTTER || temperature.during - peers >= HOTTER;
}

function strengthOf(seen: {
  slowed: boolean;
  limited: boolean;
  hot: boolean;
  capped: boolean;
  reasons: boolean;
  clocks: boolean;
  heat: boolean;
}): number {
  if (seen.slowed && seen.limited) return seen.hot ? 0.97 : seen.heat ? 0.75 : 0.88;
  if (seen.slowed && seen.hot && !seen.reasons && !seen.capped) return 0.65;
  if (seen.limited && seen.hot && !seen.clocks) return 0.75;
  return 0;
}

function details(clock: Reading | undefined, thermal: Reading | undefined, temperature: Reading | undefined): string {
  return [
    has(clock) ? `clock ${arrow(clock)}` : '',
    has(thermal) ? `thermal limit active ${amount(thermal.during, 'ratio')} of the time` : '',
    has(temperature) ? `temperature ${arrow(temperature)}` : '',
  ].filter(Boolean).join(', '); // biome-ignore format: one sentence
}

function arrow(reading: Reading): string {
  if (!Number.isFinite(reading.before)) return amount(reading.during, reading.unit);
  return `${amount(reading.before, reading.unit)} → ${amount(reading.during, reading.unit)}`;
}

function summaryOf(cards: readonly Card[]): string {
  const readable = cards.filter((card) => has(card.clock));
  if (readable.length === 0) return 'Clocks of its GPUs cannot be read.';
  const lowest = Math.min(...readable.map((card) => card.clock?.during ?? Number.NaN));
  return `None of its ${cards.length} GPUs is held down for heat (clocks at ${amount(lowest, 'MHz')} or more, as before).`;
}
