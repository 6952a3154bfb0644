import { type CheckContext, contradicts, defineCheck, type FoundFact, type Hypothesis, supports } from '../check.ts';
import { difference, has, shiftOf } from '../reading.ts';
import { timeAt } from '../window.ts';
import { counted, listed, nameOf } from '../words.ts';

/** Health reasons of the estate that say the cluster has no GPU left (scheduler's wording). */
const NO_GPU = /Insufficient (?:nvidia\.com|amd\.com|gpu\.intel\.com)\//;

/** Replicas wanted against replicas ready, pods that find no place, nodes taken out of service. */
export const workloadHealth = defineCheck({
  question: 'workload-health',
  needs: {
    desired: { signal: 'workload.desired', of: 'workload' },
    ready: { signal: 'workload.ready', of: 'workload' },
    unschedulable: { signal: 'pod.unschedulable', of: 'workload', by: 'pod', optional: true },
    cordoned: { signal: 'node.unschedulable', of: 'nodes', by: 'node', optional: true },
  },
  judge(context, { desired, ready, unschedulable, cordoned }) {
    const { focus, estate } = context;
    const none = { findings: [], hypotheses: [], ruledOut: [] };
    if (!focus.workload)
      return { status: 'not-applicable', summary: 'It is not a Kubernetes workload that Trifocal knows of.', ...none };
    const failing = focus.pods.filter((pod) => pod.health.status === 'failing');
    const hypotheses = [
      ...unplaced(
        context,
        unschedulable.all.filter((r) => r.during > 0).map((r) => r.entity),
      ),
      ...drained(context, cordoned.all),
    ];
    const short = has(ready.one) && has(desired.one) && ready.one.during < desired.one.during;
    const findings: FoundFact[] = [
      ...(short && ready.one && desired.one
        ? [
            {
              severity: 'critical' as const,
              entity: focus.workload.ref,
              summary: `${ready.one.during} of ${desired.one.during} replicas are ready.`,
              cites: supports(ready.one, desired.one),
            },
          ]
        : []),
      ...failing.map((pod) => ({
        severity: 'critical' as const,
        entity: pod.ref,
        summary: `${nameOf(estate, pod.ref)}: ${pod.health.reasons.join('; ')}.`,
        cites: [],
      })),
    ];
    if (findings.length > 0 || hypotheses.length > 0) {
      const summary = [...findings.map((f) => f.summary), ...hypotheses.map((h) => h.summary)].slice(0, 3).join(' ');
      return { status: 'problem', summary, findings, hypotheses, ruledOut: [] };
    }
    const wanted = desired.one?.during ?? factNumber(focus.workload.facts.desired);
    const there = ready.one?.during ?? factNumber(focus.workload.facts.ready);
    if (there === undefined || wanted === undefined)
      return { status: 'unknown', summary: 'Replica counts are not collected.', ...none };
    return {
      status: 'ok',
      summary: `${there} of ${counted(wanted, 'replica')} ready throughout.`,
      ...none,
      ruledOut: [{
        mechanism: 'insufficient-capacity',
        entity: focus.workload.ref,
        because: `all ${wanted} wanted replicas are ready and no pod waits for a node`,
        cites: contradicts(ready.one),
      }], // biome-ignore format: one entry
    };
  },
});

function unplaced({ focus, estate }: CheckContext, pending: readonly string[]): Hypothesis[] {
  const waiting = focus.pods.filter(
    (pod) => pending.includes(pod.ref) || pod.health.reasons.some((reason) => reason.startsWith('no node fits')),
  );
  if (waiting.length === 0) return [];
  const reason = waiting.flatMap((pod) => pod.health.reasons).find((text) => text.startsWith('no node fits'));
  const cluster = estate.ofKind('cluster').find((candidate) => candidate.name === focus.self.cluster);
  const entity = cluster?.ref ?? focus.self.ref;
  return [{
    mechanism: 'insufficient-capacity',
    entity,
    strength: reason && NO_GPU.test(reason) ? 0.9 : 0.7,
    since: Math.min(...waiting.map((pod) => pod.createdMs ?? Number.POSITIVE_INFINITY)),
    pods: undefined,
    via: [entity, ...waiting.slice(0, 1).map((pod) => pod.ref)],
    summary: `${counted(waiting.length, 'pod')} of ${focus.self.name} cannot be placed${reason ? `: ${reason}` : ''}.`,
    cites: [],
  }]; // biome-ignore format: one hypothesis
}

/** A node that was taken out of service while its pods went away; the change record names who did it. */
function drained(context: CheckContext, cordoned: readonly Parameters<typeof shiftOf>[0][]): Hypothesis[] {
  const { focus, frame, changes, estate } = context;
  const lostReplicas = context.symptom.kind === 'availability' || focus.pods.some((pod) => pod.health.status !== 'ok');
  return cordoned.filter((reading) => difference(reading) > 0 && lostReplicas).map((reading) => {
    const shift = shiftOf(reading, frame, 'up', 0.5);
    const change = changes.find((candidate) => candidate.entity === reading.entity && candidate.kind === 'cordon');
    return {
      mechanism: 'node-drained',
      entity: reading.entity,
      strength: change ? 0.9 : 0.75,
      since: change?.atMs ?? (shift && timeAt(frame, shift.start)),
      pods: undefined,
      via: [reading.entity],
      summary: `${nameOf(estate, reading.entity)} was taken out of service${change?.actor ? ` by ${change.actor}` : ''} and its replicas of ${listed([focus.self.name])} went with it.`,
      cites: supports(reading),
      ...(change ? { change } : {}),
    };
  }); // biome-ignore format: one hypothesis
}

function factNumber(fact: unknown): number | undefined {
  return typeof fact === 'number' ? fact : undefined;
}
