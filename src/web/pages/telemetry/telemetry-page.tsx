import { useQuery } from '@tanstack/react-query';
import type { TelemetryResponse } from '../../../api/contract/index.ts';
import layout from '../../components/layout.module.css';
import { Moment } from '../../components/moment.tsx';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { rankOfState, type State } from '../../components/state.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { Failure, LoadingRows, Notice } from '../../components/states/notice.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { ABSENT, coarse, counted, formatValue } from '../../format/index.ts';
import { useNow, usePageSearch } from '../../page.ts';
import { telemetryQuery } from '../../queries.ts';

type Source = TelemetryResponse['sources'][number];
type Drop = TelemetryResponse['dropped'][number];
type StoreTable = TelemetryResponse['tables'][number];

const STATE_OF_SOURCE: Readonly<Record<Source['state'], State>> = {
  connected: 'ok',
  lagging: 'warning',
  silent: 'stale',
  refused: 'critical',
};

/** Can I trust what I see? */
export function Page() {
  const now = useNow();
  const { cluster } = usePageSearch();
  const { data, error, refetch } = useQuery(telemetryQuery());
  if (error && !data) return <Failure error={error} what="Telemetry" onRetry={() => void refetch()} />;
  const sources = (data?.sources ?? []).filter((source) => cluster === undefined || source.cluster === cluster);
  const { state, words } = data
    ? answerOf(data, sources, now)
    : { state: 'unknown' as const, words: 'Looking at what arrives …' };
  return (
    <>
      <PageHead state={state} answer={[words]} numbers={<Numbers items={numbersOf(data, sources)} />} />
      <div className={layout.stack}>
        <Panel title="Sources" note="what delivers, and when it last did" flush>
          {data ? (
            <Table
              label="Sources"
              columns={SOURCES}
              rows={sources}
              rowKey={(s) => `${s.cluster} ${s.kind} ${s.name}`}
              initialSort={{ column: 'state', descending: false }}
              empty={
                <Notice
                  state="unknown"
                  title="Nothing has arrived yet"
                  why="No receiver has seen anything for this cluster."
                  fix="Send OTLP to port 4318, remote write to /prometheus/api/v1/write, or name a cluster in trifocal.yaml."
                />
              }
            />
          ) : (
            <LoadingRows rows={8} />
          )}
        </Panel>
        <div className={layout.halves}>
          <Panel title="Dropped" note="refused or left out, by reason" flush>
            {data ? (
              <Table
                label="Dropped"
                columns={DROPS}
                rows={data.dropped}
                rowKey={(d) => `${d.reason} ${d.signal}`}
                initialSort={{ column: 'count', descending: true }}
                empty={<Notice state="ok" title="Nothing was dropped" />}
              />
            ) : (
              <LoadingRows rows={2} />
            )}
          </Panel>
          <Panel title="Store" note={data?.storeUp === false ? 'down' : undefined} flush>
            {data ? (
              <Table
                label="Store"
                columns={TABLES}
                rows={data.tables}
                rowKey={(t) => t.name}
                initialSort={{ column: 'bytes', descending: true }}
                empty={
                  <Notice
                    state="unknown"
                    title="The store says nothing of its tables"
                    why="It may be down; new telemetry is kept in the spool meanwhile."
                  />
                }
              />
            ) : (
              <LoadingRows rows={4} />
            )}
          </Panel>
        </div>
      </div>
    </>
  );
}

function answerOf(data: TelemetryResponse, sources: readonly Source[], now: number): { state: State; words: string } {
  if (!data.storeUp)
    return {
      state: 'critical',
      words: 'The store is down: what arrives is kept in the spool, and nothing can be read.',
    };
  if (sources.length === 0) return { state: 'unknown', words: 'No source is connected yet.' };
  const bad = sources
    .filter((s) => s.state !== 'connected')
    .sort((a, b) => rankOfState(STATE_OF_SOURCE[a.state]) - rankOfState(STATE_OF_SOURCE[b.state]));
  const [first] = bad;
  if (!first) return { state: 'ok', words: `All ${counted(sources.length, 'source')} deliver.` };
  const since = first.lastSeen === null ? '' : ` for ${coarse((now - Date.parse(first.lastSeen)) / 1000)}`;
  return {
    state: 'warning',
    words: `${bad.length} of ${counted(sources.length, 'source')} cannot be trusted now: ${[first.kind, first.name].filter(Boolean).join(' ')} of ${first.cluster} is ${first.state}${since}.`,
  };
}

function numbersOf(data: TelemetryResponse | undefined, sources: readonly Source[]): KeyNumber[] {
  const bad = sources.filter((s) => s.state !== 'connected').length;
  const dropped = data?.dropped.reduce((sum, d) => sum + d.count, 0);
  return [
    {
      text: data ? `${bad} / ${sources.length}` : ABSENT,
      label: 'sources stale or silent',
      state: bad > 0 ? 'warning' : undefined,
    },
    {
      text: formatValue(dropped, ''),
      label: 'signals dropped',
      against: data?.dropped[0] ? `most: ${data.dropped[0].reason.replaceAll('_', ' ')}` : undefined,
    },
    {
      text: formatValue(data?.series, ''),
      label: 'series now',
      against: data
        ? `${formatValue(data.spool.bytes, 'bytes')} in the spool, oldest ${formatValue(data.spool.oldestSeconds, 's')}`
        : undefined,
    },
  ];
}

const SOURCES: Column<Source>[] = [
  {
    id: 'state',
    head: 'State',
    width: '104px',
    phone: 'show',
    value: (s) => rankOfState(STATE_OF_SOURCE[s.state]),
    cell: (s) => <StateMark state={STATE_OF_SOURCE[s.state]} label={s.state} />,
  },
  {
    id: 'name',
    head: 'Source',
    width: 'minmax(160px, 2fr)',
    phone: 'title',
    value: (s) => `${s.kind} ${s.name}`,
    cell: (s) => (
      <span>
        <span className={layout.secondary}>{s.kind}</span> {s.name}
      </span>
    ),
  },
  {
    id: 'cluster',
    head: 'Cluster',
    width: 'minmax(80px, 0.7fr)',
    phone: 'show',
    value: (s) => s.cluster,
    cell: (s) => s.cluster,
  },
  {
    id: 'seen',
    head: 'Last seen',
    width: '96px',
    align: 'right',
    phone: 'show',
    value: (s) => s.lagSeconds,
    cell: (s) => (s.lastSeen === null ? 'never' : <Moment at={s.lastSeen} as="ago" />),
  },
  {
    id: 'rate',
    head: 'per second',
    width: '88px',
    align: 'right',
    value: (s) => s.perSecond,
    cell: (s) => formatValue(s.perSecond, ''),
  },
  {
    id: 'gaps',
    head: 'gaps',
    width: '48px',
    align: 'right',
    hint: 'Times in which nothing came although something was due',
    value: (s) => s.gaps,
    cell: (s) => s.gaps,
  },
  {
    id: 'message',
    head: 'Says',
    width: 'minmax(120px, 2.5fr)',
    from: 'medium',
    cell: (s) => (
      <span className={layout.clip} title={s.message}>
        {s.message ?? <span className={layout.muted}>{ABSENT}</span>}
      </span>
    ),
  },
];

const DROPS: Column<Drop>[] = [
  {
    id: 'reason',
    head: 'Reason',
    width: 'minmax(120px, 1fr)',
    phone: 'title',
    value: (d) => d.reason,
    cell: (d) => d.reason.replaceAll('_', ' '),
  },
  { id: 'signal', head: 'Signal', width: '72px', phone: 'show', value: (d) => d.signal, cell: (d) => d.signal },
  {
    id: 'count',
    head: 'Count',
    width: '72px',
    align: 'right',
    phone: 'show',
    value: (d) => d.count,
    cell: (d) => formatValue(d.count, ''),
  },
  {
    id: 'since',
    head: 'Since',
    width: '96px',
    align: 'right',
    value: (d) => Date.parse(d.since),
    cell: (d) => <Moment at={d.since} />,
  },
  {
    id: 'example',
    head: 'Example',
    width: 'minmax(100px, 2fr)',
    from: 'medium',
    cell: (d) => (
      <span className={`${layout.mono} ${layout.clip}`} title={d.example}>
        {d.example ?? ''}
      </span>
    ),
  },
];

const TABLES: Column<StoreTable>[] = [
  { id: 'name', head: 'Table', width: 'minmax(120px, 1fr)', phone: 'title', value: (t) => t.name, cell: (t) => t.name },
  {
    id: 'rows',
    head: 'Rows',
    width: '112px',
    align: 'right',
    phone: 'show',
    value: (t) => t.rows,
    cell: (t) => formatValue(t.rows, ''),
  },
  {
    id: 'bytes',
    head: 'Size',
    width: '96px',
    align: 'right',
    phone: 'show',
    value: (t) => t.bytes,
    cell: (t) => formatValue(t.bytes, 'bytes'),
  },
  {
    id: 'each',
    head: 'per row',
    width: '88px',
    align: 'right',
    value: (t) => (t.rows === 0 ? null : t.bytes / t.rows),
    cell: (t) => formatValue(t.rows === 0 ? undefined : t.bytes / t.rows, 'bytes'),
  },
];
