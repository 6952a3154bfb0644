import { contradicts, defineCheck, type Hypothesis, supports } from '../check.ts';
import { has, type Reading, ratio, shiftOf } from '../reading.ts';
import { sum } from '../robust.ts';
import { DEMAND_FACTOR } from '../thresholds.ts';
import { timeAt } from '../window.ts';
import { amount } from '../words.ts';

/** Whether more, longer or different requests came, and whether that is enough to explain a queue. */
export const demand = defineCheck({
  question: 'demand',
  needs: {
    requests: { signal: 'inference.requests', of: 'self' },
    prompts: { signal: 'inference.prompt_length', of: 'self', stat: 'p95', optional: true },
    outputs: { signal: 'inference.output_length', of: 'self', stat: 'p95', optional: true },
    waiting: { signal: 'inference.waiting', of: 'workload', by: 'pod', optional: true },
    served: { signal: 'service.requests', of: 'services', optional: true },
  },
  judge({ focus, frame, symptom }, { requests, prompts, outputs, waiting, served }) {
    const rate = has(requests.one) ? requests.one : served.one;
    const none = { findings: [], hypotheses: [], ruledOut: [] };
    if (!has(rate)) return { status: 'unknown', summary: 'How many requests come is not collected.', ...none };
    const known = [rate, prompts.one, outputs.one].filter(has).filter((reading) => Number.isFinite(ratio(reading)));
    const told = known.map((reading) => `${WORDS[reading.signal] ?? reading.signal} ${change(reading)}`).join(', ');
    const grew = known.filter((reading) => ratio(reading) >= DEMAND_FACTOR);
    // A larger batch is how a server takes more load; only a queue means that it can't.
    const queued = growth(waiting.all) >= Math.max(1, focus.pods.length);
    if (grew.length === 0) {
      const because = `demand is as before: ${told || `${amount(rate.during, '1/s')} with no baseline`}`;
      const comparable = known.length > 0;
      return {
        status: comparable ? 'ok' : 'unknown',
        summary: comparable
          ? `Much the same: ${told}.`
          : `${amount(rate.during, '1/s')} now, but nothing to compare it with.`,
        ...none,
        ruledOut: comparable
          ? [{ mechanism: 'demand-burst', entity: focus.self.ref, because, cites: contradicts(...known) }]
          : [],
      };
    }
    const burst = symptom.state === 'moved' && symptom.kind === 'latency' && ratio(rate) >= DEMAND_FACTOR && queued;
    const shift = shiftOf(rate, frame, 'up', DEMAND_FACTOR);
    const hypotheses: Hypothesis[] =
      burst && shift
        ? [{
            mechanism: 'demand-burst',
            entity: focus.self.ref,
            strength: 0.7,
            since: timeAt(frame, shift.start),
            pods: undefined,
            via: [],
            summary: `${focus.self.name} gets more requests than before (${change(rate)}), and they queue.`,
            cites: supports(rate, ...waiting.all.slice(0, 3)),
          }]
        : []; // biome-ignore format: one hypothesis
    return {
      status: hypotheses.length > 0 ? 'problem' : 'ok',
      summary: `It changed: ${told}.`,
      findings: grew.map((reading) => ({
        severity: 'info',
        entity: focus.self.ref,
        summary: `${WORDS[reading.signal] ?? reading.signal} ${change(reading)}.`,
        cites: supports(reading),
      })),
      hypotheses,
      ruledOut: [],
    };
  },
});

const WORDS: Readonly<Record<string, string>> = {
  'inference.requests': 'requests',
  'service.requests': 'requests',
  'inference.prompt_length': 'long prompts',
  'inference.output_length': 'long outputs',
};

function growth(readings: readonly Reading[]): number {
  return sum(readings.map((reading) => reading.during)) - sum(readings.map((reading) => reading.before));
}

/** `+38 %` */
function change(reading: Reading): string {
  const percent = Math.round((ratio(reading) - 1) * 100);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${Math.abs(percent)} %`;
}
