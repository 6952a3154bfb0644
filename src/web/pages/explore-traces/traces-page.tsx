import { SegmentedControl, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { TraceTable } from '../../components/trace-table.tsx';
import { counted, formatValue } from '../../format/index.ts';
import { usePageSearch, useRange, useSetSearch } from '../../page.ts';
import { tracesQuery } from '../../queries.ts';

/** Which requests were slow or failed, and where? */
export function Page() {
  const range = useRange();
  const { cluster, tab, sel, sort } = usePageSearch();
  const setSearch = useSetSearch();
  const order = sort === 'newest' ? 'newest' : 'slowest';
  const errors = tab === 'errors' ? true : undefined;
  const answer = useQuery(tracesQuery({ cluster, entity: sel, order, errors, limit: 200 }, range));
  const items = answer.data?.items;
  const failed = items?.filter((trace) => trace.errors > 0).length ?? 0;
  const longest = Math.max(...(items ?? []).map((trace) => trace.durationSeconds), 0);
  const words =
    items === undefined
      ? 'Reading the traces …'
      : items.length === 0
        ? 'No trace in this range.'
        : `${counted(items.length, `${order} trace`)}: the longest took ${formatValue(longest, 's')}, ${failed === 0 ? 'none failed' : `${failed} with errors`}.`;
  return (
    <>
      <PageHead state={items === undefined ? 'unknown' : failed > 0 ? 'warning' : 'ok'} answer={[words]} />
      <Panel
        title="Traces"
        signal="traces"
        actions={
          <>
            <Switch
              size="xs"
              label="with errors"
              checked={errors === true}
              onChange={(event) => setSearch({ tab: event.currentTarget.checked ? 'errors' : undefined })}
            />
            <SegmentedControl
              size="xs"
              aria-label="Order"
              value={order}
              onChange={(value) => setSearch({ sort: value === 'newest' ? 'newest' : undefined })}
              data={['slowest', 'newest']}
            />
          </>
        }
        flush
      >
        <TraceTable answer={answer} />
      </Panel>
    </>
  );
}
