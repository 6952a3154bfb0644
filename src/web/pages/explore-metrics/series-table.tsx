import { lastValue, medianOf } from '../../charts/align.ts';
import layout from '../../components/layout.module.css';
import { type Column, Table } from '../../components/table/table.tsx';
import { columnOf, columnUnit, formatValue } from '../../format/index.ts';
import styles from './metrics.module.css';
import { type PromSeries, seriesName } from './series.ts';

interface Props {
  series: readonly PromSeries[];
  shared: Readonly<Record<string, string>>;
  unit: string;
}

/** Every series with its numbers; what all share is said once above. */
export function SeriesTable({ series, shared, unit }: Props) {
  const values = (s: PromSeries) =>
    s.points.map(([, v]) => v).filter((v): v is number => v !== null && Number.isFinite(v));
  const column = columnOf(
    series.map((s) => lastValue(s.points)?.value),
    unit,
  );
  const number = (id: string, head: string, pick: (s: PromSeries) => number | undefined): Column<PromSeries> => ({
    id,
    head,
    unit: columnUnit(column),
    width: '112px',
    align: 'right',
    phone: id === 'last' ? 'show' : 'hide',
    value: pick,
    cell: (s) => formatValue(pick(s), unit, { column }),
  });
  const columns: Column<PromSeries>[] = [
    {
      id: 'name',
      head: 'Series',
      width: 'minmax(200px, 4fr)',
      phone: 'title',
      value: (s) => seriesName(s.labels, shared),
      cell: (s) => (
        <span className={`${layout.mono} ${layout.clip}`} title={JSON.stringify(s.labels)}>
          {seriesName(s.labels, shared)}
        </span>
      ),
    },
    number('last', 'last', (s) => lastValue(s.points)?.value),
    number('median', 'median', (s) => medianOf(s.points)),
    number('min', 'min', (s) => (values(s).length === 0 ? undefined : values(s).reduce((a, b) => Math.min(a, b)))),
    number('max', 'max', (s) => (values(s).length === 0 ? undefined : values(s).reduce((a, b) => Math.max(a, b)))),
  ];
  const common = Object.entries(shared).filter(([name]) => name !== '__name__');
  return (
    <div className={styles.series}>
      {common.length > 0 ? (
        <p className={styles.shared}>all: {common.map(([name, value]) => `${name}="${value}"`).join(' ')}</p>
      ) : null}
      <Table
        label="Series"
        columns={columns}
        rows={series}
        rowKey={(s) => s.key}
        initialSort={{ column: 'last', descending: true }}
      />
    </div>
  );
}
