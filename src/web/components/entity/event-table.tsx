import type { EventsResponse } from '../../../api/contract/index.ts';
import { Moment } from '../moment.tsx';
import { StateMark } from '../state-mark.tsx';
import { Notice } from '../states/notice.tsx';
import { type Column, Table } from '../table/table.tsx';
import { EntityChip } from './entity-chip.tsx';

type EventItem = EventsResponse['items'][number];

const COLUMNS: Column<EventItem>[] = [
  {
    id: 'at',
    head: 'Time',
    width: '84px',
    phone: 'show',
    value: (e) => Date.parse(e.at),
    cell: (e) => <Moment at={e.at} />,
  },
  {
    id: 'reason',
    head: 'Reason',
    width: 'minmax(120px, 180px)',
    phone: 'title',
    value: (e) => e.reason,
    cell: (e) => (
      <>
        <StateMark state={e.type === 'Warning' ? 'warning' : 'idle'} />
        {e.reason}
      </>
    ),
  },
  {
    id: 'entity',
    head: 'About',
    width: 'minmax(120px, 220px)',
    phone: 'show',
    value: (e) => e.entity,
    cell: (e) => <EntityChip entity={e.entity} look="plain" isRowLink />,
  },
  {
    id: 'message',
    head: 'Message',
    width: 'minmax(200px, 4fr)',
    cell: (e) => <span title={e.message}>{e.message}</span>,
  },
  { id: 'count', head: 'Times', width: '48px', align: 'right', value: (e) => e.count, cell: (e) => e.count },
];

export function EventTable({ events }: { events: readonly EventItem[] }) {
  return (
    <Table
      label="Kubernetes events"
      columns={COLUMNS}
      rows={events}
      rowKey={(e) => `${e.at} ${e.entity} ${e.reason} ${e.message}`}
      empty={
        <Notice
          state="idle"
          title="No events in this range"
          why="Kubernetes keeps events for an hour and limits their rate, so absence proves little."
        />
      }
    />
  );
}
