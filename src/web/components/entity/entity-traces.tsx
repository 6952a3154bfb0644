import { useQuery } from '@tanstack/react-query';
import { useRange } from '../../page.ts';
import { tracesQuery } from '../../queries.ts';
import { Panel } from '../panel.tsx';
import { TraceTable } from '../trace-table.tsx';

/** Traces that pass through an entity, slowest first. */
export function EntityTraces({ entityRef }: { entityRef: string }) {
  const range = useRange();
  const answer = useQuery(tracesQuery({ entity: entityRef, order: 'slowest', limit: 100 }, range));
  return (
    <Panel title="Traces" signal="traces" note="slowest first" flush>
      <TraceTable answer={answer} />
    </Panel>
  );
}
