import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import { FilterInput } from '../../components/filter-input.tsx';
import layout from '../../components/layout.module.css';
import { LogList } from '../../components/log-list.tsx';
import { PageHead, type Sentence } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { counted, formatValue } from '../../format/index.ts';
import { usePageSearch, useRange, useSetSearch } from '../../page.ts';
import { logsQuery } from '../../queries.ts';

const SEVERITIES = ['debug', 'info', 'warn', 'error'] as const;
const LIMIT = 1000;

/** What do the logs say? */
export function Page() {
  const range = useRange();
  const { q, cluster, tab, sel } = usePageSearch();
  const setSearch = useSetSearch();
  const severity = SEVERITIES.find((known) => known === tab);
  const answer = useQuery(logsQuery({ q, cluster, severity, entity: sel, limit: LIMIT }, range));
  const items = answer.data?.items;
  const errors = items?.filter((line) => line.severity === 'error' || line.severity === 'fatal').length ?? 0;
  const about: Sentence = sel === undefined ? [] : [' of ', { entity: { ref: sel } }];
  const words: Sentence =
    items === undefined
      ? ['Reading the logs …']
      : [
          `${answer.data?.truncated ? 'The newest ' : ''}${counted(items.length, 'line')}`,
          ...about,
          `${errors > 0 ? `, ${errors} of them errors` : ', none of them an error'}.`,
        ];
  return (
    <>
      <PageHead
        state={items === undefined ? 'unknown' : errors > 0 ? 'warning' : 'ok'}
        answer={words}
        more={
          answer.data
            ? `${formatValue(answer.data.scannedRows, '')} lines were looked at${answer.data.truncated ? '; the newest are shown' : ''}.`
            : undefined
        }
      />
      <Panel
        title="Lines"
        signal="logs"
        actions={
          <>
            <SegmentedControl
              size="xs"
              aria-label="Severity at least"
              value={severity ?? 'all'}
              onChange={(value) => setSearch({ tab: value === 'all' ? undefined : value })}
              data={[{ value: 'all', label: 'all' }, ...SEVERITIES.map((value) => ({ value, label: value }))]}
            />
            <FilterInput placeholder="Lines that contain" />
          </>
        }
        note={
          sel === undefined ? undefined : (
            <span className={layout.row}>
              <EntityChip entity={sel} look="plain" />
            </span>
          )
        }
        flush
      >
        <LogList answer={answer} />
      </Panel>
    </>
  );
}
