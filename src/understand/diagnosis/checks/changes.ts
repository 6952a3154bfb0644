import type { Change } from '../../../model/index.ts';
import { type CheckContext, defineCheck, type FoundFact, type Hypothesis, supports } from '../check.ts';
import { counted, listed, nameOf } from '../words.ts';

/** Changes may act at once (a flag) or after a rollout: they count this long before the symptom. */
const BEFORE_MS = 15 * 60_000;
/** Clocks of the change record and of the signals may differ, and an onset is an estimate. */
const AFTER_MS = 60_000;

/** Kinds that alter how a workload runs. The others are told, never suspected by themselves. */
const ACTING: ReadonlySet<string> = new Set(['rollout', 'image', 'template', 'configuration', 'limits']);

/**
 * What changed just before, on the parts that the subject stands on. Being near in time accuses nobody: a rollout is a
 * suspect only if the affected replicas are the ones that it made.
 */
export const changes = defineCheck({
  question: 'changes',
  needs: {},
  judge(context) {
    const { focus, frame, estate, symptom } = context;
    const from = (symptom.onset?.low ?? frame.during.from) - BEFORE_MS;
    const to = symptom.onset ? symptom.onset.high + AFTER_MS : frame.during.to;
    const mine = new Set(
      [
        focus.self,
        ...(focus.workload ? [focus.workload] : []),
        ...focus.pods,
        ...focus.nodes,
        ...focus.gpus,
        ...focus.callees,
        ...focus.services,
      ].map((e) => e.ref),
    );
    const near = context.changes.filter(
      (change) => mine.has(change.entity) && change.atMs >= from && change.atMs <= to,
    );
    const acts = [...new Map(near.map((change) => [change.group, change])).values()];
    const hypotheses = symptom.state === 'moved' ? rollouts(context, near) : [];
    const findings = acts
      .slice(-10)
      .map(
        (change): FoundFact => ({ severity: 'info', entity: change.entity, summary: `${change.summary}.`, cites: [] }),
      );
    if (hypotheses.length > 0) {
      return {
        status: 'problem',
        summary: hypotheses.map((h) => h.summary).join(' '),
        findings,
        hypotheses,
        ruledOut: [],
      };
    }
    const summary =
      acts.length === 0
        ? 'Nothing changed on what it stands on in the quarter of an hour before.'
        : `${counted(acts.length, 'change')} near: ${listed(acts.map((change) => `${change.summary} (${nameOf(estate, change.entity)})`))}; none fits the affected replicas.`;
    return {
      status: 'ok',
      summary:
        symptom.state === 'moved' || acts.length === 0
          ? summary
          : `${counted(acts.length, 'change')} in the window: ${listed(acts.map((c) => c.summary))}.`,
      findings,
      hypotheses: [],
      ruledOut: [],
    };
  },
});

/** A rollout whose new replicas are the affected ones: strongest when old ones still run beside them and are well. */
function rollouts({ focus, symptom, estate }: CheckContext, near: readonly Change[]): Hypothesis[] {
  const { workload } = focus;
  const change = [...near]
    .reverse()
    .find((candidate) => candidate.entity === workload?.ref && ACTING.has(candidate.kind));
  if (!workload || !change) return [];
  const made = symptom.impacts.filter((impact) => (estate.get(impact.pod)?.createdMs ?? 0) >= change.atMs - AFTER_MS);
  const old = symptom.impacts.filter((impact) => !made.includes(impact));
  const affected = symptom.impacts.filter((impact) => impact.affected);
  const onlyNew = affected.length > 0 && affected.every((impact) => made.includes(impact));
  const allNew = made.length > 0 && made.every((impact) => impact.affected);
  if (!onlyNew || !allNew) return [];
  return [{
    mechanism: 'bad-rollout',
    entity: workload.ref,
    strength: old.length > 0 ? 0.85 : 0.6,
    since: change.atMs,
    pods: made.map((impact) => impact.pod),
    via: [workload.ref, ...made.slice(0, 1).map((impact) => impact.pod)],
    summary: `The rollout of ${workload.name} (${change.summary}) made the replicas that are slow${old.length > 0 ? '; those of the old revision are not' : ''}.`,
    cites: supports(...affected.slice(0, 2).map((impact) => impact.reading), ...old.slice(0, 1).map((impact) => impact.reading)),
    change,
  }]; // biome-ignore format: one hypothesis
}
