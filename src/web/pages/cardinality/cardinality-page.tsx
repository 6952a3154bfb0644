import { useQuery } from '@tanstack/react-query';
import type { CardinalityResponse } from '../../../api/contract/index.ts';
import { FilterInput } from '../../components/filter-input.tsx';
import layout from '../../components/layout.module.css';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { Failure, LoadingRows } from '../../components/states/notice.tsx';
import { judgeCardinality, secondsToLimit } from '../../components/telemetry/judge-cardinality.ts';
import { TelemetryTabs } from '../../components/telemetry/telemetry-tabs.tsx';
import { ABSENT, formatDuration, formatValue } from '../../format/index.ts';
import { useNow, usePageSearch, useSetSearch } from '../../page.ts';
import { cardinalityQuery } from '../../queries.ts';
import { ClusterMeters } from './cluster-meters.tsx';
import { LabelTable } from './label-table.tsx';
import { MetricDetail } from './metric-detail.tsx';
import { MetricTable, metricKey } from './metric-table.tsx';
import { RefusalList } from './refusal-list.tsx';

/** What makes the series many, and what was refused for it? */
export function Page() {
  const now = useNow();
  const { cluster, sel, q = '' } = usePageSearch();
  const setSearch = useSetSearch();
  const { data, error, refetch } = useQuery(cardinalityQuery(cluster));
  if (error && !data) return <Failure error={error} what="Cardinality" onRetry={() => void refetch()} />;
  const { state, words } = data
    ? judgeCardinality(data, now)
    : { state: 'unknown' as const, words: 'Counting the series …' };
  const metrics = (data?.metrics ?? []).filter((m) =>
    matches([m.metric, m.cluster, ...m.labels.map((l) => l.name)], q),
  );
  const labels = (data?.labels ?? []).filter((l) => matches([l.name], q));
  const refusals = (data?.refusals ?? []).filter((r) => matches([r.metric, r.cluster, r.label], q));
  const selected = data?.metrics.find((m) => metricKey(m) === sel);
  const select = (key: string) => setSearch({ sel: key }, 'replace');
  return (
    <>
      <PageHead state={state} answer={[words]} numbers={<Numbers items={numbersOf(data)} />} />
      <TelemetryTabs page="/telemetry/cardinality" />
      <div className={selected ? layout.side : layout.stack}>
        <div className={layout.stack}>
          {refusals.length > 0 ? (
            <Panel title="Refused by limits" note="latest first, since the server started" flush>
              <RefusalList refusals={refusals} onSelect={(r) => select(metricKey(r))} />
            </Panel>
          ) : null}
          <Panel
            title="Metrics"
            note={data ? `the ${data.metrics.length} with the most series` : undefined}
            actions={<FilterInput placeholder="Filter by metric, label, cluster" />}
            flush
          >
            {data ? (
              <MetricTable
                metrics={metrics}
                perMetricLimit={data.perMetricLimit}
                showCluster={cluster === undefined && data.clusters.length > 1}
                selected={sel}
                onSelect={(metric) => select(metricKey(metric))}
                isFiltered={q !== ''}
              />
            ) : (
              <LoadingRows rows={10} />
            )}
          </Panel>
          <div className={layout.halves}>
            <Panel title="Labels" note="by how many values they have, over all metrics" flush>
              {data ? <LabelTable labels={labels} /> : <LoadingRows rows={6} />}
            </Panel>
            <Panel title="Limits" note="series of the last one to two hours">
              {data ? <ClusterMeters cardinality={data} /> : <LoadingRows rows={3} />}
            </Panel>
          </div>
        </div>
        {selected && data ? (
          <MetricDetail
            metric={selected}
            perMetricLimit={data.perMetricLimit}
            onClose={() => setSearch({ sel: undefined })}
          />
        ) : null}
      </div>
    </>
  );
}

function numbersOf(data: CardinalityResponse | undefined): KeyNumber[] {
  if (data === undefined)
    return [
      { text: ABSENT, label: 'active series' },
      { text: ABSENT, label: 'new series per hour' },
      { text: ABSENT, label: 'samples refused' },
    ];
  const left = secondsToLimit(data);
  const used = data.limit === 0 ? 0 : data.active / data.limit;
  const growth = sum(data.metrics.map((m) => m.growthPerHour));
  const refused = sum(data.refusals.map((r) => r.count));
  return [
    {
      text: formatValue(data.active, ''),
      label: 'active series',
      against: `${formatValue(used, 'ratio')} of ${formatValue(data.limit, '')} allowed`,
      state: used >= 0.8 ? 'warning' : undefined,
    },
    {
      text: formatValue(Math.round(sum(data.metrics.map((m) => m.churnPerHour))), ''),
      label: 'new series per hour',
      against:
        left === undefined
          ? Math.round(growth) === 0
            ? 'as many as an hour ago in all'
            : `${formatValue(Math.round(growth), '', { signed: true })} in all`
          : `limit reached in ${formatDuration(left)} if it goes on so`,
    },
    {
      text: formatValue(refused, ''),
      label: 'samples refused',
      against: refused === 0 ? undefined : 'since the server started',
      state: refused > 0 ? 'warning' : undefined,
    },
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

function matches(parts: readonly string[], q: string): boolean {
  const text = parts.join(' ').toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
