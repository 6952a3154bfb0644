import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import layout from '../../components/layout.module.css';
import { type KeyNumber, Numbers } from '../../components/numbers.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { Failure, Loading, Notice } from '../../components/states/notice.tsx';
import { ABSENT, formatParts, formatValue } from '../../format/index.ts';
import { usePageSearch, useSetSearch } from '../../page.ts';
import { traceQuery } from '../../queries.ts';
import { SpanDetail } from './span-detail.tsx';
import { layOutSpans, type SpanRow } from './span-tree.ts';
import { Waterfall } from './waterfall.tsx';

/** Where did the time of this request go? */
export function Page() {
  const { id = '' } = useParams({ strict: false });
  const { sel } = usePageSearch();
  const setSearch = useSetSearch();
  const { data, error, refetch } = useQuery(traceQuery(id));
  const { rows, total } = useMemo(() => layOutSpans(data?.spans ?? []), [data]);
  if (error) return <Failure error={error} what={`Trace ${id}`} onRetry={() => void refetch()} />;
  if (!data) return <Loading height={320} label="Loading the trace" />;
  if (rows.length === 0)
    return (
      <Notice
        state="unknown"
        title="This trace has no spans here"
        why="It may be older than the retention, or have been dropped by sampling."
      />
    );
  const longest = [...rows].sort((a, b) => b.self - a.self)[0];
  const errors = rows.filter((row) => row.span.status === 'error').length;
  const selected = rows.find((row) => row.span.spanId === sel);
  return (
    <>
      <PageHead
        state={errors > 0 ? 'warning' : 'ok'}
        answer={[answerOf(rows, longest, total)]}
        more={`Trace ${id}`}
        numbers={<Numbers items={numbersOf(total, longest, data.missing, errors)} />}
      />
      <div className={selected ? layout.side : layout.stack}>
        <Panel title="Spans" signal="traces" note={`${rows.length} spans`} flush>
          <Waterfall
            rows={rows}
            total={total}
            selected={sel}
            onSelect={(spanId) => setSearch({ sel: spanId === sel ? undefined : spanId }, 'replace')}
          />
        </Panel>
        {selected ? <SpanDetail row={selected} onClose={() => setSearch({ sel: undefined }, 'replace')} /> : null}
      </div>
    </>
  );
}

function answerOf(rows: readonly SpanRow[], longest: SpanRow | undefined, total: number): string {
  const [root] = rows;
  const name = root ? `${root.span.name} of ${root.span.service}` : 'The request';
  if (!longest || total === 0) return `${name} took ${formatValue(total, 's')}.`;
  return `${name} took ${formatValue(total, 's')}; ${formatValue(longest.self / total, 'ratio')} of it in ${longest.span.name} of ${longest.span.service}.`;
}

function numbersOf(total: number, longest: SpanRow | undefined, missing: number, errors: number): KeyNumber[] {
  return [
    { ...formatParts(total, 's'), label: 'total' },
    {
      ...formatParts(longest?.self, 's'),
      label: 'self time of the longest span',
      against: longest ? `${longest.span.service} ${longest.span.name}` : ABSENT,
    },
    {
      text: String(missing),
      label: missing === 1 ? 'span missing' : 'spans missing',
      against: `${errors} with errors`,
      state: missing > 0 ? 'warning' : undefined,
    },
  ];
}
