import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { EntitySummary, SignalResponse } from '../../../api/contract/index.ts';
import { formatRef } from '../../../model/index.ts';
import { lastValue, type Points } from '../../charts/align.ts';
import { isModelService } from '../../components/entity/entity-target.ts';
import { useClusters, usePageSearch, useRange } from '../../page.ts';
import { entitiesQuery, signalQuery } from '../../queries.ts';
import { type PageRange, usualRange } from '../../range.ts';
import { type Judgement, judgeService } from './judge-service.ts';

export interface ModelService extends Judgement {
  entity: EntitySummary;
  ttft: Points;
  /** Newest values; undefined when not collected or older than three steps. */
  ttftNow: number | undefined;
  itlNow: number | undefined;
  tokens: number | undefined;
  waiting: number | undefined;
  requests: number | undefined;
  errors: number | undefined;
}

const ASKED = [
  { name: 'inference.ttft', stat: 'p95' },
  { name: 'inference.itl', stat: 'p95' },
  { name: 'inference.output_tokens', stat: undefined },
  { name: 'inference.waiting', stat: undefined },
  { name: 'inference.requests', stat: undefined },
  { name: 'inference.errors', stat: undefined },
] as const;

/** Every model service of the shown clusters with what the lists say of it, worst first. */
export function useModelServices(): {
  services: ModelService[];
  isLoading: boolean;
  error: Error | null;
  retry: () => void;
} {
  const range = useRange();
  const { cluster } = usePageSearch();
  const clusters = useClusters();
  const workloads = useQuery(entitiesQuery({ kind: 'workload', cluster }));
  const entities = useMemo(() => (workloads.data?.items ?? []).filter(isModelService), [workloads.data]);
  const withModels = clusters.filter((name) => entities.some((entity) => entity.cluster === name));
  const asks = withModels.flatMap((name) =>
    ASKED.map(({ name: signal, stat }) => ({
      name: signal,
      stat,
      entity: formatRef('cluster', name, '', name),
      by: 'workload' as const,
    })),
  );
  const answers = useQueries({ queries: asks.map((ask) => signalQuery(ask, range)) });
  const past = asks.filter(({ stat }) => stat === 'p95');
  const pastAnswers = useQueries({ queries: past.map((ask) => signalQuery(ask, usualRange(range))) });
  const bySignal = new Map<string, Map<string, Points>>();
  for (const [i, answer] of answers.entries()) addSeries(bySignal, asks[i]?.name ?? '', answer.data);
  for (const [i, answer] of pastAnswers.entries()) addSeries(bySignal, `before ${past[i]?.name}`, answer.data);
  const services = entities.map((entity) => serviceOf(entity, bySignal, range)).sort(worstFirst);
  return {
    services,
    isLoading:
      workloads.isPending || (answers.some((answer) => answer.isPending) && answers.every((answer) => !answer.error)),
    error: workloads.error,
    retry: () => void workloads.refetch(),
  };
}

function serviceOf(
  entity: EntitySummary,
  bySignal: ReadonlyMap<string, ReadonlyMap<string, Points>>,
  range: PageRange,
): ModelService {
  const points = (name: string) => bySignal.get(name)?.get(entity.ref) ?? [];
  const newest = (name: string) => freshValue(points(name), range);
  const ttft = points('inference.ttft');
  const judged = judgeService({
    health: entity.health.status,
    reason: entity.health.reasons[0],
    ttft,
    itl: points('inference.itl'),
    before: { ttft: points('before inference.ttft'), itl: points('before inference.itl') },
    requests: newest('inference.requests'),
    waiting: newest('inference.waiting'),
  });
  return {
    ...judged,
    entity,
    ttft,
    ttftNow: newest('inference.ttft'),
    itlNow: newest('inference.itl'),
    tokens: newest('inference.output_tokens'),
    waiting: newest('inference.waiting'),
    requests: newest('inference.requests'),
    errors: newest('inference.errors'),
  };
}

/** The newest value of a series, unless it is so old that it is not the present any more. */
export function freshValue(points: Points, range: PageRange): number | undefined {
  const last = lastValue(points);
  const oldest = range.to / 1000 - Math.max(120, range.step * 3);
  return last && last.at >= oldest ? last.value : undefined;
}

function addSeries(bySignal: Map<string, Map<string, Points>>, name: string, answer: SignalResponse | undefined) {
  const byEntity = bySignal.get(name) ?? new Map<string, Points>();
  bySignal.set(name, byEntity);
  for (const series of answer?.series ?? []) byEntity.set(series.entity, series.points);
}

const RANK = { critical: 0, warning: 1, unknown: 2, stale: 3, ok: 4, idle: 5, silenced: 6 } as const;

function worstFirst(a: ModelService, b: ModelService): number {
  return (
    RANK[a.state] - RANK[b.state] || (b.ttftNow ?? 0) - (a.ttftNow ?? 0) || a.entity.ref.localeCompare(b.entity.ref)
  );
}
