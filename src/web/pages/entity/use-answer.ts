import { useQueries } from '@tanstack/react-query';
import type { EntityDetail } from '../../../api/contract/index.ts';
import type { Points } from '../../charts/align.ts';
import { judgeGpu } from '../../components/entity/judge-gpu.ts';
import type { Sentence } from '../../components/page-head.tsx';
import { isTrouble, type State, stateOfHealth } from '../../components/state.ts';
import { formatMinute, listed } from '../../format/index.ts';
import { useNow, useRange, useZone } from '../../page.ts';
import { signalQuery } from '../../queries.ts';
import { usualRange } from '../../range.ts';
import { judgeService } from '../models/judge-service.ts';
import { freshValue } from '../models/use-model-services.ts';

export interface PageAnswer {
  state: State;
  answer: Sentence;
}

const GPU_SIGNALS = ['gpu.throttle.thermal', 'gpu.throttle.power', 'gpu.temperature', 'gpu.sm_clock'];
const REPLICA_SIGNALS = ['inference.ttft', 'inference.requests', 'inference.waiting', 'inference.itl'];

const PAST_SIGNALS = ['inference.ttft', 'inference.itl'];

/** The page's question answered: by the estate's health, and for GPUs and replicas of model services by what their signals say. */
export function useAnswer(entity: EntityDetail): PageAnswer {
  const range = useRange();
  const zone = useZone();
  const now = useNow();
  const names = entity.kind === 'gpu' ? GPU_SIGNALS : isReplica(entity) ? REPLICA_SIGNALS : [];
  const answers = useQueries({ queries: names.map((name) => signalQuery({ name, entity: entity.ref }, range)) });
  const past = useQueries({
    queries: isReplica(entity)
      ? PAST_SIGNALS.map((name) => signalQuery({ name, entity: entity.ref }, usualRange(range)))
      : [],
  }).map((answer): Points => answer.data?.series[0]?.points ?? []);
  const [first = [], second = [], third = [], fourth = []] = answers.map(
    (answer): Points => answer.data?.series[0]?.points ?? [],
  );
  const newest = (points: Points) => freshValue(points, range);
  const { status, reasons } = entity.health;
  const subject = { entity };
  if (names.length === 0 || answers.some((answer) => answer.isPending)) return answerOfHealth(entity);
  if (entity.kind === 'gpu') {
    const [temperature, clock] = [newest(third), newest(fourth)];
    const isSeen = temperature !== undefined || clock !== undefined;
    const judged = judgeGpu({
      health: status,
      reason: reasons[0],
      thermal: newest(first),
      power: newest(second),
      temperature,
      isSeen,
    });
    return { state: judged.state, answer: [subject, ` ${judged.words}.`] };
  }
  const judged = judgeService({
    health: status,
    reason: reasons[0],
    ttft: first,
    itl: fourth,
    before: { ttft: past[0] ?? [], itl: past[1] ?? [] },
    requests: newest(second),
    waiting: newest(third),
  });
  if (status === 'failing' || judged.since === undefined) return answerOfHealth(entity);
  const detail = judged.detail === undefined ? '' : `: ${judged.detail}`;
  const words = ` runs, but is ${judged.word} since ${formatMinute(judged.since, zone, now)}${detail}.`;
  return { state: judged.state, answer: [subject, words] };
}

export function isReplica(entity: EntityDetail): boolean {
  return (
    entity.kind === 'pod' &&
    entity.related.some((other) => other.kind === 'workload' && typeof other.facts.engine === 'string')
  );
}

function answerOfHealth(entity: EntityDetail): PageAnswer {
  const state = stateOfHealth(entity.health.status);
  const [reason, ...more] = entity.health.reasons;
  const sick = state === 'ok' ? sickPart(entity) : undefined;
  if (sick) {
    const because = sick.health.reasons[0] ?? sick.health.status;
    return {
      state: 'warning',
      answer: [{ entity }, ' is well, but ', { entity: sick }, ` needs attention: ${because}.`],
    };
  }
  const because =
    reason === undefined || state === 'ok' ? '' : `: ${[reason, listed(more)].filter(Boolean).join('; ')}`;
  return { state, answer: [{ entity }, ` ${HEALTH_WORDS[state]}${because}.`] };
}

/** What an entity holds or uses, when it is in trouble: a well node with a sick GPU is no good news. */
function sickPart(entity: EntityDetail) {
  const parts = entity.relations
    .filter(({ kind, from }) => from === entity.ref && (kind === 'contains' || kind === 'uses'))
    .map(({ to }) => entity.related.find(({ ref }) => ref === to));
  return parts.find((part) => part !== undefined && isTrouble(stateOfHealth(part.health.status)));
}

const HEALTH_WORDS: Readonly<Record<State, string>> = {
  ok: 'is well',
  idle: 'is idle',
  stale: 'is gone',
  silenced: 'is silenced',
  critical: 'is failing',
  warning: 'needs attention',
  unknown: 'cannot be judged',
};
