import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ChangeItem, InvestigationsResponse } from '../../../api/contract/index.ts';
import { DEFAULT_TTFT_OBJECTIVE, formatRef } from '../../../model/index.ts';
import { ChangeList } from '../../components/change-list.tsx';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import layout from '../../components/layout.module.css';
import { Moment } from '../../components/moment.tsx';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { Failure, Loading, LoadingRows, Notice } from '../../components/states/notice.tsx';
import { WhyButton } from '../../components/why-button.tsx';
import { ABSENT, formatMinute, formatParts, formatValue } from '../../format/index.ts';
import { useClusters, useNow, usePageSearch, useRange, useZone } from '../../page.ts';
import { changesQuery, investigationsQuery, signalQuery } from '../../queries.ts';
import { shareOver } from '../models/judge-service.ts';
import { ServiceTable } from '../models/service-table.tsx';
import { freshValue, type ModelService, useModelServices } from '../models/use-model-services.ts';
import { answerServices } from './answer.ts';
import { ConnectGuide } from './connect-guide.tsx';
import { LayerStrip } from './layer-strip.tsx';

/** Is anyone hurt now, and where do I begin? */
export function Page() {
  const now = useNow();
  const zone = useZone();
  const range = useRange();
  const clusters = useClusters();
  const { cluster } = usePageSearch();
  const { services, isLoading, error, retry } = useModelServices();
  const changes = useQuery(changesQuery({ cluster }, range));
  const investigations = useQuery(investigationsQuery());
  const changeTimes = useMemo(() => timesByEntity(changes.data ?? []), [changes.data]);
  const slow = useSlowRate(services);

  if (isLoading) return <Loading height={320} label="Loading the overview" />;
  if (error && services.length === 0) return <Failure error={error} what="The overview" onRetry={retry} />;
  const { state, answer } = answerServices(services, (ms) => formatMinute(ms, zone, now), clusters.length);
  const worst = services.find((s) => s.isOutside) ?? services.find((s) => s.state === 'warning');
  const likely = worst ? likelyCause(worst.entity.ref, investigations.data, range.from) : undefined;
  return (
    <>
      <PageHead
        state={state}
        answer={answer}
        more={
          likely ? (
            <>
              Likely: {likely.headline.replace(/\.$/, '')} ({likely.confidence.toFixed(2)}).{' '}
              <Link to="/investigations/$id" params={{ id: likely.id }}>
                Open the investigation
              </Link>
            </>
          ) : worst?.detail ? (
            `${worst.detail.charAt(0).toUpperCase()}${worst.detail.slice(1)}; the objective of ${formatValue(DEFAULT_TTFT_OBJECTIVE, 's')} to the first token is met.`
          ) : null
        }
        actions={worst ? <WhyButton subject={worst.entity.ref} isPrimary /> : undefined}
        numbers={<Numbers items={numbersOf(services, slow, changes.data ?? [], (ms) => formatMinute(ms, zone, now))} />}
      />
      <div className={layout.stack}>
        {services.length === 0 ? (
          <ConnectGuide />
        ) : (
          <Panel
            title="Model services"
            note={`default objective: TTFT p95 within ${formatValue(DEFAULT_TTFT_OBJECTIVE, 's')}`}
            flush
          >
            <ServiceTable services={services} changes={changeTimes} showCluster={clusters.length > 1} />
          </Panel>
        )}
        <LayerStrip
          services={services}
          investigations={investigations.data?.items.filter((i) => Date.parse(i.createdAt) >= range.from).length}
        />
        <Panel title="Changes" note="in the shown range" flush>
          {changes.error && !changes.data ? (
            <Failure error={changes.error} what="Changes" onRetry={() => void changes.refetch()} />
          ) : changes.isPending ? (
            <LoadingRows />
          ) : changes.data.length === 0 ? (
            <Notice
              state="ok"
              title="Nothing changed in this range"
              why="Rollouts, scaling, configuration, cordons and autoscaler decisions would stand here."
            />
          ) : (
            <ChangeList changes={changes.data} />
          )}
        </Panel>
      </div>
    </>
  );
}

function numbersOf(
  services: readonly ModelService[],
  slow: SlowRate,
  changes: readonly ChangeItem[],
  formatTime: (ms: number) => string,
): KeyNumber[] {
  const outside = services.filter((s) => s.isOutside);
  const oldest = Math.min(...outside.map((s) => s.since ?? Number.POSITIVE_INFINITY));
  const before = changes.filter((c) => Date.parse(c.at) <= oldest);
  const change = (Number.isFinite(oldest) ? before : changes)[0];
  const rate = formatParts(slow.perMinute, '');
  return [
    {
      text: services.length === 0 ? ABSENT : `${outside.length} / ${services.length}`,
      label: 'outside objective',
      against:
        outside.length === 0 ? undefined : (
          <span className={layout.row}>
            {outside.slice(0, 3).map((s) => (
              <EntityChip key={s.entity.ref} entity={s.entity} look="plain" />
            ))}
          </span>
        ),
      state: outside.length > 0 ? 'critical' : undefined,
    },
    {
      ...rate,
      text: slow.perMinute === undefined ? ABSENT : formatValue(Math.round(slow.perMinute), ''),
      unit: slow.perMinute === undefined ? '' : '/min',
      label: 'failing or too slow',
      against: slow.share === undefined ? undefined : `${formatValue(slow.share, 'ratio')} of requests`,
      hover:
        'Failed requests, and those slower than the objective as read from the quantiles of the time to first token',
    },
    {
      text: change ? formatTime(Date.parse(change.at)) : ABSENT,
      label: change ? (
        <span className={layout.row}>
          {change.kind} of <EntityChip entity={change.entity} look="plain" />
        </span>
      ) : Number.isFinite(oldest) ? (
        'no change before the trouble in this range'
      ) : (
        'no change in this range'
      ),
      against: change ? (
        <>
          newest change{Number.isFinite(oldest) ? ' before the trouble' : ''}, <Moment at={change.at} as="ago" />
        </>
      ) : undefined,
    },
  ];
}

interface SlowRate {
  perMinute: number | undefined;
  share: number | undefined;
}

const QUANTILES = [
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
] as const;

/** Requests per minute that fail or are slower than the objective; further quantiles are asked for only where a service is outside. */
function useSlowRate(services: readonly ModelService[]): SlowRate {
  const range = useRange();
  const outside = services.filter((s) => s.word === 'slow');
  const clusters = [...new Set(outside.map((s) => s.entity.cluster))];
  const asks = clusters.flatMap((name) =>
    QUANTILES.map(([stat]) => ({
      name: 'inference.ttft',
      stat,
      entity: formatRef('cluster', name, '', name),
      by: 'workload' as const,
    })),
  );
  const recent = { ...range, from: Math.max(range.from, range.to - 600_000) };
  const answers = useQueries({ queries: asks.map((ask) => signalQuery(ask, recent)) });
  const quantileOf = (service: ModelService, stat: string) => {
    const i = asks.findIndex(
      (ask) =>
        ask.stat === stat && ask.entity === formatRef('cluster', service.entity.cluster, '', service.entity.cluster),
    );
    return freshValue(answers[i]?.data?.series.find((s) => s.entity === service.entity.ref)?.points ?? [], range);
  };
  const all = services.reduce((sum, s) => sum + (s.requests ?? 0), 0);
  const isLoading = answers.some((answer) => answer.isPending);
  if (isLoading || services.every((s) => s.requests === undefined)) return { perMinute: undefined, share: undefined };
  const failed = services.reduce((sum, s) => sum + (s.errors ?? 0), 0);
  const slow = outside.reduce((sum, s) => {
    const read = QUANTILES.map(([stat, share]): [number, number | undefined] => [share, quantileOf(s, stat)]);
    const shown: [number, number | undefined] = [0.95, s.ttftNow];
    const known = [...read, shown].filter((q): q is [number, number] => q[1] !== undefined).sort((a, b) => a[0] - b[0]);
    return sum + (s.requests ?? 0) * (shareOver(known, DEFAULT_TTFT_OBJECTIVE) ?? 0);
  }, 0);
  return { perMinute: (failed + slow) * 60, share: all > 0 ? (failed + slow) / (all + failed) : undefined };
}

/** The newest finding about the service within the shown range. */
function likelyCause(ref: string, known: InvestigationsResponse | undefined, from: number) {
  return known?.items.find((i) => i.subject === ref && i.verdict === 'cause-found' && Date.parse(i.createdAt) >= from);
}

function timesByEntity(changes: readonly ChangeItem[]): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>();
  for (const change of changes) times.set(change.entity, [...(times.get(change.entity) ?? []), Date.parse(change.at)]);
  return times;
}
