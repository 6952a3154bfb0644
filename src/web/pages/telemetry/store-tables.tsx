import type { TelemetryResponse } from '../../../api/contract/index.ts';
import { Panel } from '../../components/panel.tsx';
import { Notice } from '../../components/states/notice.tsx';
import { numberColumn } from '../../components/table/columns.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { formatValue } from '../../format/index.ts';
import styles from './telemetry.module.css';

type StoreTable = TelemetryResponse['tables'][number];

/** What is kept, by table; the store's own tables apart, since they hold nothing that was sent. */
export function StoreTables({ tables }: { tables: readonly StoreTable[] }) {
  const signals = tables.filter((table) => table.kind === 'signal');
  const system = tables.filter((table) => table.kind === 'system');
  return (
    <Panel title="Kept" note={`${formatValue(bytesOf(signals), 'bytes')} of signals on disk`} flush>
      <Table
        label="Tables of signals"
        columns={columnsOf(signals)}
        rows={signals}
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
      {system.length > 0 ? (
        <details className={styles.system}>
          <summary>
            {formatValue(bytesOf(system), 'bytes')} in {system.length} of the store’s own tables
          </summary>
          <Table
            label="The store’s own tables"
            columns={columnsOf(system)}
            rows={system}
            rowKey={(t) => t.name}
            initialSort={{ column: 'bytes', descending: true }}
          />
        </details>
      ) : null}
    </Panel>
  );
}

function columnsOf(tables: readonly StoreTable[]): Column<StoreTable>[] {
  return [
    {
      id: 'name',
      head: 'Table',
      width: 'minmax(120px, 1fr)',
      phone: 'title',
      value: (t) => t.name,
      cell: (t) => t.name,
    },
    numberColumn(tables, { id: 'rows', head: 'Rows', unit: '', width: '96px', pick: (t) => t.rows, phone: 'show' }),
    numberColumn(tables, {
      id: 'bytes',
      head: 'Size',
      unit: 'bytes',
      width: '96px',
      pick: (t) => t.bytes,
      phone: 'show',
    }),
    numberColumn(tables, {
      id: 'each',
      head: 'per row',
      unit: 'bytes',
      width: '88px',
      pick: (t) => (t.rows === 0 ? undefined : t.bytes / t.rows),
    }),
  ];
}

function bytesOf(tables: readonly StoreTable[]): number {
  return tables.reduce((sum, table) => sum + table.bytes, 0);
}
