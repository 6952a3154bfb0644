import { type CheckContext, contradicts, defineCheck, type Hypothesis, supports } from '../check.ts';
import type { Readings } from '../need.ts';
import { difference, has, type Reading, ratio, shiftOf, within } from '../reading.ts';
import { median, quantile, sum } from '../robust.ts';
import { DEMAND_FACTOR, KV_FULL } from '../thresholds.ts';
import { timeAt } from '../window.ts';
import { amount } from '../words.ts';

/** The engine's own limits: KV cache, prefix cache, batch size. */
export const serving = defineCheck({
  question: 'phases',
  needs: {
    kv: { signal: 'inference.kv_usage', of: 'workload', by: 'pod' },
    preemptions: { signal: 'inference.preemptions', of: 'workload', by: 'pod', optional: true },
    waiting: { signal: 'inference.waiting', of: 'workload', by: 'pod' },
    running: { signal: 'inference.running', of: 'workload', by: 'pod' },
    prefix: { signal: 'inference.prefix_hit_ratio', of: 'self', optional: true },
    prompts: { signal: 'inference.prompt_length', of: 'self', stat: 'p95', optional: true },
    requests: { signal: 'inference.requests', of: 'self', optional: true },
    prefill: { signal: 'inference.prefill_time', of: 'self', stat: 'mean', optional: true },
    utilization: { signal: 'gpu.utilization', of: 'node-gpus', by: 'gpu', optional: true },
  },
  judge(context, readings) {
    const { focus } = context;
    const hypotheses = [
      ...kvExhausted(context, readings),
      ...prefixCollapse(context, readings),
      ...batchLimit(context, readings),
    ];
    const fullest = Math.max(...readings.kv.all.map((reading) => reading.during).filter(Number.isFinite));
    return {
      status: hypotheses.length > 0 ? 'problem' : 'ok',
      summary: hypotheses.map((h) => h.summary).join(' '),
      findings: hypotheses.map((h) => ({ severity: 'critical', entity: h.entity, summary: h.summary, cites: h.cites })),
      hypotheses,
      ruledOut:
        Number.isFinite(fullest) && fullest < KV_FULL
          ? [{
              mechanism: 'kv-cache-exhausted',
              entity: focus.self.ref,
              because: `the KV cache is at most ${amount(fullest, 'ratio')} full`,
              cites: contradicts(...readings.kv.all.slice(0, 4)),
            }]
          : [], // biome-ignore format: one entry
    };
  },
});

type Inputs = Record<
  'kv' | 'preemptions' | 'waiting' | 'running' | 'prefix' | 'prompts' | 'requests' | 'prefill' | 'utilization',
  Readings
>;

/** Must move: KV to its end, preemptions or a queue. Longer prompts make it the request class; the rate must not have grown. */
function kvExhausted(
  { focus, frame }: CheckContext,
  { kv, preemptions, waiting, prompts, requests }: Inputs,
): Hypothesis[] {
  const full = kv.all.filter(
    (reading) => quantile(within(reading.values, frame, frame.during), 0.75) >= KV_FULL && difference(reading) >= 0.1,
  );
  const [first] = full;
  if (!first) return [];
  const pushedBack =
    sum(full.map((reading) => preemptions.of(reading.entity)?.during ?? 0)) >
    sum(full.map((reading) => preemptions.of(reading.entity)?.before ?? 0));
  const queued = sum(full.map((reading) => difference(waiting.of(reading.entity)))) > 0;
  if (!pushedBack && !queued) return [];
  const longer = has(prompts.one) && ratio(prompts.one) >= DEMAND_FACTOR;
  const more = has(requests.one) && ratio(requests.one) >= DEMAND_FACTOR;
  const shift = shiftOf(first, frame, 'up');
  return [{
    mechanism: 'kv-cache-exhausted',
    entity: focus.self.ref,
    strength: (pushedBack ? 0.85 : 0.65) + (longer ? 0.1 : 0) - (more && !longer ? 0.25 : 0),
    since: shift && timeAt(frame, shift.start),
    pods: full.map((reading) => reading.entity),
    via: full.slice(0, 1).map((reading) => reading.entity),
    summary: `The KV cache of ${focus.self.name} is full (${amount(first.before, 'ratio')} → ${amount(first.during, 'ratio')})${pushedBack ? ', running requests are pushed back' : ''}${longer ? '; prompts grew longer' : ''}.`,
    cites: supports(first, preemptions.of(first.entity), waiting.of(first.entity), longer ? prompts.one : undefined),
  }]; // biome-ignore format: one hypothesis
}

/** Must move: the hit ratio down, prefill up. Must not: prompt lengths. */
function prefixCollapse({ focus, frame, changes }: CheckContext, { prefix, prefill, prompts }: Inputs): Hypothesis[] {
  const hits = prefix.one;
  if (!has(hits) || !(difference(hits) <= -0.15) || !(hits.during <= hits.before * 0.6)) return [];
  if (!has(prefill.one) || !(ratio(prefill.one) >= DEMAND_FACTOR)) return [];
  if (has(prompts.one) && ratio(prompts.one) >= DEMAND_FACTOR) return [];
  const shift = shiftOf(hits, frame, 'down');
  const since = shift && timeAt(frame, shift.start);
  const change = changes.find(
    (c) => c.entity === focus.workload?.ref && since !== undefined && Math.abs(c.atMs - since) < 10 * 60_000,
  );
  return [{
    mechanism: 'prefix-cache-collapse',
    entity: focus.self.ref,
    strength: change ? 0.9 : 0.75,
    since,
    pods: undefined,
    via: [],
    summary: `The prefix cache of ${focus.self.name} hits ${amount(hits.during, 'ratio')} instead of ${amount(hits.before, 'ratio')}, so prompts are computed anew.`,
    cites: supports(hits, prefill.one),
    ...(change ? { change } : {}),
  }]; // biome-ignore format: one hypothesis
}

/** Must move: the batch capped and flat, the queue up, GPUs less used. Must not: KV up, the rate up. */
function batchLimit(
  { focus, frame, changes }: CheckContext,
  { running, waiting, kv, requests, utilization }: Inputs,
): Hypothesis[] {
  const total = (readings: readonly Reading[], when: 'before' | 'during') =>
    sum(readings.map((reading) => reading[when]));
  const queue = total(waiting.all, 'during') - total(waiting.all, 'before');
  const smaller = total(running.all, 'during') < total(running.all, 'before') * 0.8;
  if (!(queue >= 1) || !smaller) return [];
  if (has(requests.one) && ratio(requests.one) >= DEMAND_FACTOR) return [];
  if (median(kv.all.map(difference)) > 0.05) return [];
  const flat = running.all.every((reading) => isFlat(within(reading.values, frame, frame.during)));
  const used = focus.gpus.map((gpu) => difference(utilization.of(gpu.ref))).filter(Number.isFinite);
  if (!flat || (used.length > 0 && median(used) > 0.02)) return [];
  const first = running.all[0];
  const shift = first && shiftOf(first, frame, 'down');
  const since = shift && timeAt(frame, shift.start);
  const change = changes.find(
    (c) => c.entity === focus.workload?.ref && since !== undefined && Math.abs(c.atMs - since) < 10 * 60_000,
  );
  return [{
    mechanism: 'batch-limit-low',
    entity: focus.self.ref,
    strength: change ? 0.9 : 0.7,
    since,
    pods: undefined,
    via: [],
    summary: `${focus.self.name} runs no more than ${amount(total(running.all, 'during'), '1')} requests at once (before ${amount(total(running.all, 'before'), '1')}) while ${amount(total(waiting.all, 'during'), '1')} wait, and its GPUs have room.`,
    cites: supports(...running.all.slice(0, 2), ...waiting.all.slice(0, 2)),
    ...(change ? { change } : {}),
  }]; // biome-ignore format: one hypothesis
}

/** A batch that is free swings with arrivals, by about its square root; one at its limit stands still. */
function isFlat(values: readonly number[]): boolean {
  const middle = median(values);
  return middle > 0 && (quantile(values, 0.9) - quantile(values, 0.1)) / middle < 0.3;
}
