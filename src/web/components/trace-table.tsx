import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { TracesResponse } from '../../api/contract/index.ts';
import layout from './layout.module.css';
import { Moment } from './moment.tsx';
import { StateMark } from './state-mark.tsx';
import { Failure, LoadingRows, Notice } from './states/notice.tsx';
import { numberColumn } from './table/columns.tsx';
import { type Column, Table } from './table/table.tsx';
import styles from './trace-table.module.css';

type TraceRow = TracesResponse['items'][number];

/** Traces with their length as a bar against the longest. */
export function TraceTable({ answer }: { answer: UseQueryResult<TracesResponse, Error> }) {
  const { data, error, refetch } = answer;
  if (error && !data) return <Failure error={error} what="Traces" onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows rows={8} />;
  const longest = Math.max(...data.items.map((t) => t.durationSeconds), 1e-9);
  const columns: Column<TraceRow>[] = [
    {
      id: 'name',
      head: 'Trace',
      width: 'minmax(200px, 2fr)',
      phone: 'title',
      value: (t) => t.rootName,
      cell: (t) => (
        <Link to="/traces/$id" params={{ id: t.traceId }} data-row-link="" className={styles.name}>
          {t.rootService} <span className={layout.secondary}>{t.rootName}</span>
        </Link>
      ),
    },
    {
      id: 'at',
      head: 'Started',
      width: '84px',
      phone: 'show',
      value: (t) => Date.parse(t.startedAt),
      cell: (t) => <Moment at={t.startedAt} as="second" />,
    },
    numberColumn(data.items, {
      id: 'duration',
      head: 'Duration',
      unit: 's',
      width: '96px',
      pick: (t) => t.durationSeconds,
      phone: 'show',
    }),
    {
      id: 'bar',
      head: '',
      width: 'minmax(80px, 1fr)',
      from: 'medium',
      cell: (t) => <span className={styles.bar} style={{ width: `${(t.durationSeconds / longest) * 100}%` }} />,
    },
    { id: 'spans', head: 'Spans', width: '64px', align: 'right', value: (t) => t.spans, cell: (t) => t.spans },
    {
      id: 'errors',
      head: 'Errors',
      width: '64px',
      align: 'right',
      value: (t) => t.errors,
      cell: (t) => (t.errors > 0 ? <StateMark state="critical" label={String(t.errors)} /> : '0'),
    },
  ];
  return (
    <Table
      label="Traces"
      columns={columns}
      rows={data.items}
      rowKey={(t) => t.traceId}
      empty={
        <Notice
          state="unknown"
          title="No traces in this range"
          why="Either nothing was traced, the filter leaves none, or no spans arrive from here."
          fix={<Link to="/telemetry">See which traces arrive</Link>}
        />
      }
    />
  );
}
