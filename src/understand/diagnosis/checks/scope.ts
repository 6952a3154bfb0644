import { contradicts, defineCheck, type FoundFact, type Hypothesis, supports } from '../check.ts';
import { has, ratio, shiftOf } from '../reading.ts';
import { median } from '../robust.ts';
import { subsetsOf } from '../subsets.ts';
import { CLOCK_DROP } from '../thresholds.ts';
import { timeAt } from '../window.ts';
import { amount, counted, factor, listed, nameOf } from '../words.ts';

/**
 * For whom: all replicas alike, or some. One replica that is slower than its peers under the same load, with nothing
 * else wrong beneath it, is itself the cause of last resort; anything more specific outranks it.
 */
export const scope = defineCheck({
  question: 'scope',
  needs: {
    running: { signal: 'inference.running', of: 'workload', by: 'pod', optional: true },
    requests: { signal: 'inference.requests', of: 'workload', by: 'pod', optional: true },
    clock: { signal: 'gpu.sm_clock', of: 'node-gpus', by: 'gpu', optional: true },
  },
  judge(context, { running, requests, clock }) {
    const { symptom, estate, frame } = context;
    const none = { findings: [], hypotheses: [], ruledOut: [] };
    if (symptom.state === 'quiet') return { status: 'ok', summary: 'Nothing grew, for nobody.', ...none };
    if (symptom.state === 'blind') return { status: 'unknown', summary: 'There is no signal per replica.', ...none };
    if (symptom.impacts.length === 0)
      return { status: 'unknown', summary: 'The signal that moved is not split by replica.', ...none };
    const affected = symptom.impacts.filter((impact) => impact.affected);
    const others = symptom.impacts.filter((impact) => !impact.affected);
    if (symptom.impacts.length === 1)
      return { status: 'ok', summary: 'It has one replica, so there is nothing to compare.', ...none };
    if (affected.length === 0) return { status: 'unknown', summary: 'No replica stands out by itself.', ...none };
    if (others.length === 0) {
      return { status: 'ok', summary: `All ${symptom.impacts.length} replicas are affected alike.`, ...none };
    }
    const splits = subsetsOf(context).filter((subset) => subset.attribute !== 'pod');
    const where = splits[0] ? `, all with ${splits[0].attribute} ${splits[0].value}` : '';
    const names = listed(affected.map((impact) => nameOf(estate, impact.pod)));
    const [worst] = affected;
    const unit = worst?.reading.unit ?? '';
    const summary = `${affected.length} of ${counted(symptom.impacts.length, 'replica')}: ${names}${where}; the others stay at ${amount(median(others.map((o) => o.during)), unit)}.`;
    const findings = affected.map(
      (impact): FoundFact => ({
        severity: 'warning',
        entity: impact.pod,
        summary: `${nameOf(estate, impact.pod)}: ${amount(impact.before, unit)} → ${amount(impact.during, unit)}.`,
        cites: supports(impact.reading),
      }),
    );
    const lone = affected.length === 1 && others.length > 0 && worst && symptom.kind === 'latency';
    const load = lone ? requests.of(worst.pod) : undefined;
    const overloaded = load && load.before > 0 && load.during / load.before > 1.3;
    const clocks = worst ? estate.to(worst.pod, 'uses', 'gpu').flatMap((gpu) => clock.of(gpu.ref) ?? []) : [];
    const steady =
      clocks.length > 0 && clocks.every((reading) => has(reading) && !(1 - ratio(reading) >= CLOCK_DROP / 2));
    const hypotheses: Hypothesis[] =
      lone && !overloaded && Number.isFinite(worst.before)
        ? [{
            mechanism: 'replica-degraded',
            entity: worst.pod,
            strength: steady ? 0.65 : 0.45,
            since: startOf(shiftOf(worst.reading, frame, 'up'), (index) => timeAt(frame, index)),
            pods: [worst.pod],
            via: [worst.pod],
            summary: `${nameOf(estate, worst.pod)} alone became ${factor(worst.before, worst.during)} slower at no more load than before.`,
            cites: [...supports(worst.reading, running.of(worst.pod)), ...contradicts(...clocks.slice(0, 2))],
          }]
        : []; // biome-ignore format: one hypothesis
    return { status: 'problem', summary, findings, hypotheses, ruledOut: [] };
  },
});

function startOf(shift: { start: number } | undefined, at: (index: number) => number): number | undefined {
  return shift && at(shift.start);
}
