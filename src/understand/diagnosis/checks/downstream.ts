import { type CheckContext, contradicts, defineCheck, type Excluded, type Hypothesis, supports } from '../check.ts';
import { difference } from '../reading.ts';
import { amount, factor, listed } from '../words.ts';

/**
 * Whether what it calls became slow or failed, judged by the callees' own symptoms. A callee in which nothing further
 * is found is itself the cause; else its cause is reported with the callee on the chain.
 */
export const downstream = defineCheck({
  question: 'downstream',
  needs: { own: { signal: 'service.duration', of: 'services', stat: 'p95', optional: true } },
  judge({ focus, callees, symptom }, { own }) {
    const none = { findings: [], hypotheses: [], ruledOut: [] };
    if (focus.callees.length === 0) {
      return focus.services.length > 0
        ? { status: 'ok', summary: 'It calls nothing that its spans show.', ...none }
        : { status: 'unknown', summary: 'Without spans of it, what it calls is not known.', ...none };
    }
    const names = listed(focus.callees.map((callee) => callee.name));
    const moved = callees.filter((callee) => callee.symptom.state === 'moved');
    const judged = callees.filter((callee) => callee.symptom.state !== 'blind');
    if (moved.length > 0) {
      const told = moved.map(({ entity, symptom: { reading, shift, kind } }) =>
        kind === 'latency' && shift && reading
          ? `${entity.name} became ${factor(shift.before, shift.during)} slower`
          : `${entity.name} has trouble (${kind})`,
      );
      const summary = `Yes: ${listed(told)}.`;
      const hypotheses = moved.map((callee): Hypothesis => {
        const grown = difference(own.one);
        const { reading, shift, onset } = callee.symptom;
        const enough =
          reading?.unit === 's' && shift && grown > 0 ? Math.min(1, (shift.during - shift.before) / grown) : undefined;
        return {
          mechanism: 'dependency-slow',
          entity: callee.entity.ref,
          strength: symptom.state === 'moved' ? 0.6 + 0.2 * (enough ?? 0.5) : 0,
          since: onset?.at,
          pods: undefined,
          via: [callee.entity.ref],
          summary: `${told[moved.indexOf(callee)] ?? callee.entity.name}${shift && reading?.unit === 's' ? ` (${amount(shift.before, 's')} → ${amount(shift.during, 's')})` : ''}.`,
          cites: supports(reading),
        };
      });
      return {
        status: 'problem',
        summary,
        findings: hypotheses.map((h) => ({
          severity: 'warning',
          entity: h.entity,
          summary: h.summary,
          cites: h.cites,
        })),
        hypotheses,
        ruledOut: judged.filter((callee) => !moved.includes(callee)).map(asFastAsBefore),
      };
    }
    if (judged.length < callees.length) {
      const blind = callees.filter((callee) => callee.symptom.state === 'blind').map((callee) => callee.entity.name);
      return { status: 'unknown', summary: `Nothing tells how long ${listed(blind)} takes.`, ...none };
    }
    return {
      status: 'ok',
      summary: `No: ${names} ${judged.length === 1 ? 'answers' : 'answer'} as fast as before.`,
      ...none,
      ruledOut: judged.map(asFastAsBefore),
    };
  },
});

function asFastAsBefore({ entity, symptom }: CheckContext['callees'][number]): Excluded {
  const because = `${entity.name} answers as fast as before`;
  return { mechanism: 'dependency-slow', entity: entity.ref, because, cites: contradicts(symptom.reading) };
}
