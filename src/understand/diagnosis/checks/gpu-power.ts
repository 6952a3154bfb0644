import { type CheckContext, contradicts, defineCheck, type Hypothesis, NO_GPU, supports } from '../check.ts';
import type { Readings } from '../need.ts';
import { difference, has, type Reading, ratio, shiftOf } from '../reading.ts';
import { median } from '../robust.ts';
import { AT_POWER_LIMIT, CLOCK_DROP, HOTTER, THROTTLED_SHARE } from '../thresholds.ts';
import { timeAt } from '../window.ts';
import { amount, counted, listed, nameOf } from '../words.ts';

/**
 * A power limit below what the work needs. Must move: clocks down on the cards concerned, the power reason up, power
 * flat at (a new, lower) limit. Must not: temperature up. Power-bound as always under load is no news.
 */
export const gpuPower = defineCheck({
  question: 'gpu',
  needs: {
    clock: { signal: 'gpu.sm_clock', of: 'node-gpus', by: 'gpu' },
    power: { signal: 'gpu.power', of: 'node-gpus', by: 'gpu' },
    limit: { signal: 'gpu.power.limit', of: 'node-gpus', by: 'gpu', optional: true },
    capped: { signal: 'gpu.throttle.power', of: 'node-gpus', by: 'gpu', optional: true },
    temperature: { signal: 'gpu.temperature', of: 'node-gpus', by: 'gpu' },
  },
  judge(context, readings) {
    const { focus, estate } = context;
    if (focus.gpus.length === 0) return NO_GPU;
    const hypotheses = focus.nodes.flatMap((node): Hypothesis[] => {
      const cards = estate.to(node.ref, 'contains', 'gpu').map((gpu) => gpu.ref);
      const capped = cards.filter((gpu) => isCapped(gpu, readings));
      if (capped.length === 0) return [];
      const whole = capped.length > 1 && capped.length >= cards.length / 2;
      const pods = focus.pods.filter((pod) =>
        estate.to(pod.ref, 'uses', 'gpu').some((gpu) => capped.includes(gpu.ref)),
      );
      if (pods.length === 0) return [];
      const first = capped[0] ?? '';
      const entity = whole ? node.ref : first;
      return [
        {
          mechanism: 'gpu-power-cap',
          entity,
          strength: readings.limit.of(first) ? 0.95 : 0.85,
          since: startOf(readings.clock.of(first), context),
          pods: pods.map((pod) => pod.ref),
          via: [entity, ...(whole ? [] : [node.ref]), ...pods.slice(0, 1).map((pod) => pod.ref)],
          summary: sentence(nameOf(estate, entity), capped, readings),
          cites: supports(
            ...capped
              .slice(0, 4)
              .flatMap((gpu) => [readings.clock.of(gpu), readings.capped.of(gpu), readings.power.of(gpu)]),
          ),
        },
      ];
    });
    const usual = focus.gpus.flatMap((gpu) => readings.capped.of(gpu.ref) ?? readings.clock.of(gpu.ref) ?? []);
    return {
      status: hypotheses.length > 0 ? 'problem' : usual.length > 0 ? 'ok' : 'unknown',
      summary: hypotheses.map((h) => h.summary).join(' '),
      findings: hypotheses.map((h) => ({ severity: 'critical', entity: h.entity, summary: h.summary, cites: h.cites })),
      hypotheses,
      ruledOut:
        hypotheses.length > 0 || usual.length === 0
          ? []
          : [{
              mechanism: 'gpu-power-cap',
              entity: focus.self.ref,
              because: `no GPU of ${listed(focus.nodes.map((node) => node.name))} is held down by its power limit more than before`,
              cites: contradicts(...usual.slice(0, 4)),
            }], // biome-ignore format: one entry
    };
  },
});

type Inputs = { clock: Readings; power: Readings; limit: Readings; capped: Readings; temperature: Readings };

function isCapped(gpu: string, { clock, power, limit, capped, temperature }: Inputs): boolean {
  const slowed = 1 - ratio(clock.of(gpu)) >= CLOCK_DROP;
  const hotter = difference(temperature.of(gpu)) >= HOTTER;
  const reason = capped.of(gpu);
  const said = has(reason) && reason.during >= THROTTLED_SHARE && difference(reason) >= THROTTLED_SHARE;
  const drawn = power.of(gpu);
  const bound = limit.of(gpu);
  const lowered = has(bound) && ratio(bound) < 0.97 && has(drawn) && drawn.during >= AT_POWER_LIMIT * bound.during;
  return slowed && !hotter && (said || lowered);
}

function startOf(clock: Reading | undefined, { frame }: CheckContext): number | undefined {
  const shift = clock && shiftOf(clock, frame, 'down');
  return shift && timeAt(frame, shift.start);
}

function sentence(name: string, capped: readonly string[], { clock, limit, power }: Inputs): string {
  const first = capped[0] ?? '';
  const reading = clock.of(first);
  const bound = limit.of(first);
  const watts = has(bound)
    ? `limit ${amount(bound.before, 'W')} → ${amount(bound.during, 'W')}`
    : `power flat at ${amount(median(capped.map((gpu) => power.of(gpu)?.during ?? Number.NaN)), 'W')}`;
  const clocks = reading ? `clock ${amount(reading.before, 'MHz')} → ${amount(reading.during, 'MHz')}` : 'clocks down';
  return `${name} is held down by its power limit on ${counted(capped.length, 'GPU')}: ${clocks}, ${watts}.`;
}
