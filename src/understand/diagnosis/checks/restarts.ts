import type { Entity } from '../../../model/index.ts';
import { type CheckContext, contradicts, defineCheck, type FoundFact, type Hypothesis, supports } from '../check.ts';
import type { Readings } from '../need.ts';
import { has, type Reading } from '../reading.ts';
import { finite, quantile } from '../robust.ts';
import { NEAR_MEMORY_LIMIT } from '../thresholds.ts';
import { type Frame, timeAt } from '../window.ts';
import { amount, counted, listed, nameOf } from '../words.ts';

/** Containers that restarted, lost readiness, were killed for memory, or cannot start. */
export const restarts = defineCheck({
  question: 'restarts-readiness',
  needs: {
    restarts: { signal: 'container.restarts', of: 'workload', by: 'pod' },
    ready: { signal: 'container.ready', of: 'workload', by: 'pod' },
    oom: { signal: 'container.oom', of: 'workload', by: 'pod', optional: true },
    pulling: { signal: 'container.image_pull_failing', of: 'workload', by: 'pod', optional: true },
    memory: { signal: 'container.memory.working_set', of: 'workload', by: 'pod', optional: true },
    limit: { signal: 'container.memory.limit', of: 'workload', by: 'pod', optional: true },
  },
  judge(context, readings) {
    const { focus, frame, estate } = context;
    const none = { findings: [], hypotheses: [], ruledOut: [] };
    if (focus.pods.length === 0)
      return { status: 'not-applicable', summary: 'It has no pods that Trifocal knows of.', ...none };
    if (readings.restarts.all.length === 0 && readings.ready.all.length === 0) {
      return { status: 'unknown', summary: 'Restarts and readiness are not collected.', ...none };
    }
    const restarted = readings.restarts.all.flatMap((reading) => {
      const restart = lastRise(reading, frame);
      return restart ? [{ reading, ...restart }] : [];
    });
    const unready = readings.ready.all.filter((reading) => has(reading) && reading.during < 1 && reading.before === 1);
    const hypotheses = [...outOfMemory(context, restarted, readings), ...imagePull(context, readings)];
    const findings: FoundFact[] = [
      ...restarted.map(({ reading, by }) => ({
        severity: 'warning' as const,
        entity: reading.entity,
        summary: `${nameOf(estate, reading.entity)} restarted ${counted(by, 'time')}.`,
        cites: supports(reading),
      })),
      ...unready.map((reading) => ({
        severity: 'warning' as const,
        entity: reading.entity,
        summary: `${nameOf(estate, reading.entity)} is not ready any more.`,
        cites: supports(reading),
      })),
    ];
    if (findings.length > 0 || hypotheses.length > 0) {
      return {
        status: 'problem',
        summary: [...hypotheses.map((h) => h.summary), ...findings.map((f) => f.summary)].slice(0, 2).join(' '),
        findings,
        hypotheses,
        ruledOut: [],
      };
    }
    return {
      status: 'ok',
      summary: `No restart and no lost readiness in ${counted(focus.pods.length, 'pod')}.`,
      ...none,
      ruledOut: [{
        mechanism: 'memory-limit-oom',
        entity: focus.self.ref,
        because: 'no container restarted and none was killed for memory',
        cites: contradicts(...readings.restarts.all.slice(0, 4)),
      }], // biome-ignore format: one entry
    };
  },
});

interface Restarted {
  reading: Reading;
  at: number;
  by: number;
}

/** The newest rise of a restart count after the baseline, and by how much it rose since. */
function lastRise(reading: Reading, frame: Frame): { at: number; by: number } | undefined {
  let last = Number.NaN;
  let found: { at: number; by: number } | undefined;
  reading.values.forEach((value, i) => {
    if (!Number.isFinite(value)) return;
    const at = timeAt(frame, i);
    if (value > last && at > frame.baseline.to - 2 * frame.step)
      found = { at: found?.at ?? at, by: (found?.by ?? 0) + value - last };
    last = value;
  });
  return found;
}

function outOfMemory(
  { focus, estate }: CheckContext,
  restarted: readonly Restarted[],
  { oom, memory, limit }: { oom: Readings; memory: Readings; limit: Readings },
): Hypothesis[] {
  const killed = restarted.filter(({ reading }) => finite(oom.of(reading.entity)?.values ?? []).at(-1) === 1);
  const [first] = killed;
  if (!first) return [];
  const used = memory.of(first.reading.entity);
  const bound = limit.of(first.reading.entity);
  const peak = used && bound ? quantile(used.values, 1) / bound.during : Number.NaN;
  const near = peak >= NEAR_MEMORY_LIMIT;
  const entity = focus.workload ?? focus.self;
  const full = Number.isFinite(peak)
    ? `; memory reached ${amount(peak, 'ratio')} of the limit of ${amount(bound?.during ?? Number.NaN, 'bytes')}`
    : '';
  return [{
    mechanism: 'memory-limit-oom',
    entity: entity.ref,
    strength: near ? 0.95 : 0.8,
    since: Math.min(...killed.map(({ at }) => at)),
    pods: killed.map(({ reading }) => reading.entity),
    via: [...killed.slice(0, 1).map(({ reading }) => reading.entity)],
    summary: `${listed(killed.map(({ reading }) => nameOf(estate, reading.entity)))} was killed for exceeding its memory limit (OOMKilled)${full}.`,
    cites: supports(first.reading, oom.of(first.reading.entity), used, bound),
  }]; // biome-ignore format: one hypothesis
}

function imagePull({ focus, estate, changes }: CheckContext, { pulling }: { pulling: Readings }): Hypothesis[] {
  const said = (pod: Entity) => pod.health.reasons.find((reason) => /cannot pull its image/.test(reason));
  const stuck = focus.pods.filter((pod) => (pulling.of(pod.ref)?.during ?? 0) > 0 || said(pod) !== undefined);
  const [first] = stuck;
  if (!first) return [];
  const workload = focus.workload ?? focus.self;
  const change = [...changes]
    .reverse()
    .find(
      (candidate) => candidate.entity === workload.ref && ['image', 'rollout', 'template'].includes(candidate.kind),
    );
  return [{
    mechanism: 'image-pull-failed',
    entity: workload.ref,
    strength: change ? 0.95 : 0.85,
    since: change?.atMs ?? first.createdMs,
    pods: undefined,
    via: [first.ref],
    summary: `${nameOf(estate, first.ref)} cannot pull its image${change ? ` after ${change.summary}` : ''}.`,
    cites: supports(pulling.of(first.ref)),
    ...(change ? { change } : {}),
  }]; // biome-ignore format: one hypothesis
}
