import { useQuery } from '@tanstack/react-query';
import { useRange } from '../../page.ts';
import { changesQuery, eventsQuery } from '../../queries.ts';
import { ChangeList } from '../change-list.tsx';
import layout from '../layout.module.css';
import { Panel } from '../panel.tsx';
import { Failure, LoadingRows, Notice } from '../states/notice.tsx';
import { EventTable } from './event-table.tsx';

/** What changed about an entity and what Kubernetes said of it, in the page's range. */
export function EventsAndChanges({ entityRef }: { entityRef: string }) {
  const range = useRange();
  const changes = useQuery(changesQuery({ entity: entityRef }, range));
  const events = useQuery(eventsQuery({ entity: entityRef }, range));
  return (
    <div className={layout.stack}>
      <Panel title="Changes" note="of this and of what it stands on" flush>
        {changes.error && !changes.data ? (
          <Failure error={changes.error} what="Changes" onRetry={() => void changes.refetch()} />
        ) : changes.isPending ? (
          <LoadingRows rows={2} />
        ) : changes.data.length === 0 ? (
          <Notice state="ok" title="Nothing changed in this range" fix="Widen the range with z to look further back." />
        ) : (
          <ChangeList changes={changes.data} most={50} />
        )}
      </Panel>
      <Panel title="Kubernetes events" flush>
        {events.error && !events.data ? (
          <Failure error={events.error} what="Events" onRetry={() => void events.refetch()} />
        ) : events.isPending ? (
          <LoadingRows rows={2} />
        ) : (
          <EventTable events={events.data.items} />
        )}
      </Panel>
    </div>
  );
}
