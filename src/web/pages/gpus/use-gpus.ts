import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { EntitySummary } from '../../../api/contract/index.ts';
import { formatRef } from '../../../model/index.ts';
import type { Points } from '../../charts/align.ts';
import { usersOfGpu } from '../../components/entity/gpu-users.ts';
import { type GpuJudgement, judgeGpu } from '../../components/entity/judge-gpu.ts';
import { rankOfState } from '../../components/state.ts';
import { useClusters, usePageSearch, useRange } from '../../page.ts';
import { entitiesQuery, signalQuery } from '../../queries.ts';
import { freshValue } from '../models/use-model-services.ts';

export interface Gpu extends GpuJudgement {
  entity: EntitySummary;
  node: string;
  index: string;
  /** References of pods it is given to. */
  users: string[];
  smActive: number | undefined;
  tensor: number | undefined;
  memory: number | undefined;
  memoryTotal: number | undefined;
  clock: number | undefined;
  temperature: number | undefined;
  power: number | undefined;
  /** Given to somebody and doing work. */
  isEffective: boolean;
}

const ASKED = [
  'gpu.sm_active',
  'gpu.utilization',
  'gpu.tensor_active',
  'gpu.memory.used',
  'gpu.memory.total',
  'gpu.sm_clock',
  'gpu.temperature',
  'gpu.power',
  'gpu.throttle.thermal',
  'gpu.throttle.power',
] as const;
const RECENT_MS = 600_000;
/** Below this share of busy cycles a GPU does nothing that matters. */
const EFFECTIVE_FROM = 0.1;

/** Every GPU of the shown clusters with its newest values, worst first. */
export function useGpus(): { gpus: Gpu[]; nodes: EntitySummary[]; isLoading: boolean; error: Error | null } {
  const range = useRange();
  const clusters = useClusters();
  const { cluster } = usePageSearch();
  const cards = useQuery(entitiesQuery({ kind: 'gpu', cluster }));
  const nodes = useQuery(entitiesQuery({ kind: 'node', cluster }));
  const recent = useMemo(
    () => ({ ...range, from: Math.max(range.from, range.to - RECENT_MS), step: Math.min(range.step, 60) }),
    [range],
  );
  const entities = cards.data?.items ?? [];
  const withGpus = clusters.filter((name) => entities.some((entity) => entity.cluster === name));
  const asks = withGpus.flatMap((name) =>
    ASKED.map((signal) => ({ name: signal, entity: formatRef('cluster', name, '', name), by: 'gpu' as const })),
  );
  const answers = useQueries({ queries: asks.map((ask) => signalQuery(ask, recent)) });
  const isAnswered = answers.length > 0 && answers.every((answer) => !answer.isPending);
  const points = new Map<string, Points>();
  for (const [i, answer] of answers.entries())
    for (const series of answer.data?.series ?? []) points.set(`${asks[i]?.name} ${series.entity}`, series.points);
  const gpus = entities
    .map((entity) => gpuOf(entity, (name) => freshValue(points.get(`${name} ${entity.ref}`) ?? [], recent), isAnswered))
    .sort(
      (a, b) =>
        rankOfState(a.state) - rankOfState(b.state) || a.node.localeCompare(b.node) || a.index.localeCompare(b.index),
    );
  return {
    gpus,
    nodes: nodes.data?.items ?? [],
    isLoading: cards.isPending || nodes.isPending,
    error: cards.error ?? nodes.error,
  };
}

function gpuOf(
  entity: EntitySummary,
  newest: (name: (typeof ASKED)[number]) => number | undefined,
  isAnswered: boolean,
): Gpu {
  const temperature = newest('gpu.temperature');
  const clock = newest('gpu.sm_clock');
  const users = usersOfGpu(entity.facts);
  const smActive = newest('gpu.sm_active') ?? newest('gpu.utilization');
  const judged = judgeGpu({
    health: entity.health.status,
    reason: entity.health.reasons[0],
    thermal: newest('gpu.throttle.thermal'),
    power: newest('gpu.throttle.power'),
    temperature,
    isSeen: !isAnswered || temperature !== undefined || clock !== undefined || smActive !== undefined,
  });
  return {
    ...judged,
    entity,
    node: String(entity.facts.node ?? ''),
    index: String(entity.facts.index ?? ''),
    users,
    smActive,
    tensor: newest('gpu.tensor_active'),
    memory: newest('gpu.memory.used'),
    memoryTotal:
      newest('gpu.memory.total') ??
      (typeof entity.facts.memoryBytes === 'number' ? entity.facts.memoryBytes : undefined),
    clock,
    temperature,
    power: newest('gpu.power'),
    isEffective: users.length > 0 && (smActive ?? 0) >= EFFECTIVE_FROM,
  };
}
