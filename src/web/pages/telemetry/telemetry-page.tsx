import { useQuery } from '@tanstack/react-query';
import type { TelemetryResponse } from '../../../api/contract/index.ts';
import { FilterInput } from '../../components/filter-input.tsx';
import layout from '../../components/layout.module.css';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { Failure, LoadingRows } from '../../components/states/notice.tsx';
import { reasonWords } from '../../components/telemetry/drop-words.ts';
import { secondsToLimit } from '../../components/telemetry/judge-cardinality.ts';
import {
  lookOf,
  type Source,
  sourceKey,
  sourceName,
  troubledSources,
} from '../../components/telemetry/source-state.ts';
import { TelemetryTabs } from '../../components/telemetry/telemetry-tabs.tsx';
import { TroubleList } from '../../components/trouble/trouble-list.tsx';
import { troubleOf } from '../../components/trouble/visible-trouble.ts';
import { ABSENT, counted, formatDuration, formatValue } from '../../format/index.ts';
import { useNow, usePageSearch, useSetSearch } from '../../page.ts';
import { cardinalityQuery, statusQuery, telemetryQuery } from '../../queries.ts';
import { DropList } from './drop-list.tsx';
import { ServerPanel } from './server-panel.tsx';
import { SourceDetail } from './source-detail.tsx';
import { NoSources, SourceTable } from './source-table.tsx';
import { StoreTables } from './store-tables.tsx';
import { activeDrops, type Verdict, verdictOf } from './verdict.ts';

/** Can I trust what I see? */
export function Page() {
  const now = useNow();
  const { cluster, sel, q = '' } = usePageSearch();
  const setSearch = useSetSearch();
  const { data, error, refetch } = useQuery(telemetryQuery());
  const trouble = troubleOf(useQuery(statusQuery()).data?.trouble ?? [], cluster);
  const series = useSeriesNumber(data, cluster);
  if (error && !data) return <Failure error={error} what="Telemetry" onRetry={() => void refetch()} />;
  const sources = (data?.sources ?? []).filter((source) => cluster === undefined || source.cluster === cluster);
  const selected = sources.find((source) => sourceKey(source) === sel);
  const { state, words }: Verdict = data
    ? verdictOf(data, sources, now)
    : { state: 'unknown', words: 'Looking at what arrives …' };
  return (
    <>
      <PageHead
        state={state}
        answer={[words]}
        numbers={<Numbers items={[...(data ? numbersOf(data, sources) : PENDING), series]} />}
      />
      <TelemetryTabs page="/telemetry" />
      <div className={layout.stack}>
        {trouble.length > 0 ? (
          <Panel title="Needs attention" note={counted(trouble.length, 'thing')} flush>
            <TroubleList trouble={trouble} />
          </Panel>
        ) : null}
        <div className={selected ? layout.side : layout.stack}>
          <Panel
            title="Sources"
            note="who sends, with trouble on top"
            actions={<FilterInput placeholder="Filter by sender, protocol, cluster" />}
            flush
          >
            {data ? (
              <SourceTable
                sources={sources.filter((source) => matches(source, q))}
                showCluster={cluster === undefined}
                selected={sel}
                onSelect={(source) => setSearch({ sel: sourceKey(source) }, 'replace')}
                empty={<NoSources cluster={cluster} q={q} />}
              />
            ) : (
              <LoadingRows rows={8} />
            )}
          </Panel>
          {selected ? <SourceDetail source={selected} onClose={() => setSearch({ sel: undefined })} /> : null}
        </div>
        <Panel title="Dropped" note="since the server started, by reason" flush>
          {data ? <DropList drops={data.dropped} /> : <LoadingRows rows={2} />}
        </Panel>
        {data ? (
          <div className={layout.halves}>
            <ServerPanel telemetry={data} />
            <StoreTables tables={data.tables} />
          </div>
        ) : null}
      </div>
    </>
  );
}

function matches(source: Source, q: string): boolean {
  const text =
    `${sourceName(source)} ${source.kind} ${source.cluster} ${source.state} ${lookOf(source).word}`.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const PENDING: KeyNumber[] = [
  { text: ABSENT, label: 'sources silent, late or refused' },
  { text: ABSENT, label: 'dropped per minute' },
];

function numbersOf(data: TelemetryResponse, sources: readonly Source[]): KeyNumber[] {
  const bad = troubledSources(sources).length;
  const [worst] = activeDrops(data.dropped);
  const perMinute = data.dropped.reduce((sum, d) => sum + d.perSecond * 60, 0);
  const total = data.dropped.reduce((sum, d) => sum + d.count, 0);
  return [
    {
      text: `${bad} / ${sources.length}`,
      label: 'sources silent, late or refused',
      state: bad > 0 ? 'warning' : undefined,
    },
    {
      text: formatValue(Math.round(perMinute), ''),
      label: 'dropped per minute',
      against: worst
        ? `most: ${reasonWords(worst.reason)}`
        : total > 0
          ? `${formatValue(total, '')} since the start`
          : undefined,
      state: perMinute > 0 ? 'warning' : undefined,
    },
  ];
}

/** Series now, and when their limit would be reached if they went on growing so. */
function useSeriesNumber(data: TelemetryResponse | undefined, cluster: string | undefined): KeyNumber {
  const cardinality = useQuery(cardinalityQuery(cluster)).data;
  const left = cardinality === undefined ? undefined : secondsToLimit(cardinality);
  const limit = cardinality === undefined ? '' : `of ${formatValue(cardinality.limit, '')} allowed`;
  return {
    text: formatValue(cardinality?.active ?? data?.series, ''),
    label: 'active series',
    against: left === undefined ? limit : `${limit}, reached in ${formatDuration(left)} if they go on growing so`,
    state: left !== undefined && left < 86_400 ? 'warning' : undefined,
  };
}
