import type { CardinalityResponse } from '../../../api/contract/index.ts';
import layout from '../../components/layout.module.css';
import { Notice } from '../../components/states/notice.tsx';
import { numberColumn } from '../../components/table/columns.tsx';
import { RowButton } from '../../components/table/row-button.tsx';
import { Table } from '../../components/table/table.tsx';
import { valueCount } from '../../components/telemetry/judge-cardinality.ts';
import { useSetSearch } from '../../page.ts';

type Label = CardinalityResponse['labels'][number];

/** Label names by their values; choosing one shows the metrics that have it. */
export function LabelTable({ labels }: { labels: readonly Label[] }) {
  const setSearch = useSetSearch();
  const choose = (label: Label) => setSearch({ q: label.name });
  return (
    <Table
      label="Labels"
      columns={[
        {
          id: 'name',
          head: 'Label',
          width: 'minmax(96px, 1fr)',
          phone: 'title',
          value: (l) => l.name,
          cell: (l) => (
            <RowButton label={`Show the metrics with ${l.name}`} onSelect={() => choose(l)}>
              <span className={layout.mono}>{l.name}</span>
            </RowButton>
          ),
        },
        {
          id: 'values',
          head: 'Values',
          width: '64px',
          align: 'right',
          phone: 'show',
          value: (l) => l.values,
          cell: (l) => valueCount(l.values),
        },
        numberColumn(labels, {
          id: 'metrics',
          head: 'Metrics',
          unit: '',
          width: '64px',
          pick: (l) => l.metrics,
          phone: 'show',
        }),
        {
          id: 'example',
          head: 'Like',
          width: 'minmax(120px, 1.6fr)',
          from: 'medium',
          cell: (l) => (
            <span className={`${layout.mono} ${layout.secondary} ${layout.clip}`} title={l.example.join('\n')}>
              {l.example.join(', ')}
            </span>
          ),
        },
      ]}
      rows={labels}
      rowKey={(l) => l.name}
      initialSort={{ column: 'values', descending: true }}
      empty={<Notice state="unknown" title="No label to show" />}
    />
  );
}
