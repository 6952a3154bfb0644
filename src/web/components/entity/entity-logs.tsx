import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { usePageSearch, useRange } from '../../page.ts';
import { logsQuery } from '../../queries.ts';
import { FilterInput } from '../filter-input.tsx';
import { LogList } from '../log-list.tsx';
import { Panel } from '../panel.tsx';

/** Log lines of an entity and what it contains. */
export function EntityLogs({ entityRef }: { entityRef: string }) {
  const range = useRange();
  const { q } = usePageSearch();
  const text = useDeferredValue(q);
  const answer = useQuery(logsQuery({ entity: entityRef, q: text, limit: 500 }, range));
  return (
    <Panel
      title="Logs"
      signal="logs"
      note="newest first"
      actions={<FilterInput placeholder="Lines that contain" />}
      flush
    >
      <LogList answer={answer} />
    </Panel>
  );
}
