import { useQuery } from '@tanstack/react-query';
import type { CoverageResponse } from '../../../api/contract/index.ts';
import { coverageQuery, signalCatalogueQuery } from '../../queries.ts';
import layout from '../layout.module.css';
import { Panel } from '../panel.tsx';
import { StateMark } from '../state-mark.tsx';
import { Failure, LoadingRows, Notice } from '../states/notice.tsx';
import { type Column, Table } from '../table/table.tsx';

type Row = CoverageResponse['items'][number] & { meaning: string };

const COLUMNS: Column<Row>[] = [
  {
    id: 'signal',
    head: 'Signal',
    width: 'minmax(180px, 1fr)',
    phone: 'title',
    value: (r) => r.signal,
    cell: (r) => (
      <>
        <StateMark state={r.present ? 'ok' : 'unknown'} />
        <span className={layout.mono}>{r.signal}</span>
      </>
    ),
  },
  {
    id: 'meaning',
    head: 'What it is',
    width: 'minmax(160px, 2fr)',
    from: 'medium',
    cell: (r) => <span title={r.meaning}>{r.meaning}</span>,
  },
  {
    id: 'source',
    head: 'From',
    width: 'minmax(100px, 0.8fr)',
    phone: 'show',
    value: (r) => r.source ?? null,
    cell: (r) => (r.present ? (r.source ?? '') : <span className={layout.muted}>not collected</span>),
  },
  {
    id: 'fix',
    head: 'How to get it',
    width: 'minmax(160px, 2fr)',
    from: 'medium',
    cell: (r) => <span title={r.fix}>{r.present ? '' : r.fix}</span>,
  },
];

/** Which signals are collected for an entity, and how to get the others. */
export function Coverage({ entityRef }: { entityRef: string }) {
  const { data, error, refetch } = useQuery(coverageQuery(entityRef));
  const catalogue = useQuery(signalCatalogueQuery()).data ?? [];
  const meanings = new Map(catalogue.map(({ name, meaning }) => [name, meaning]));
  const rows = (data?.items ?? [])
    .map((item): Row => ({ ...item, meaning: meanings.get(item.signal) ?? '' }))
    .sort((a, b) => Number(a.present) - Number(b.present));
  const present = rows.filter((row) => row.present).length;
  return (
    <Panel title="Coverage" note={data ? `${present} of ${rows.length} signals are collected` : undefined} flush>
      {error ? (
        <Failure error={error} what="Coverage" onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <LoadingRows rows={6} />
      ) : (
        <Table
          label="Coverage"
          columns={COLUMNS}
          rows={rows}
          rowKey={(r) => r.signal}
          empty={<Notice state="unknown" title="No signal of the catalogue is about things of this kind" />}
        />
      )}
    </Panel>
  );
}
