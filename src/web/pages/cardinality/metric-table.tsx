import layout from '../../components/layout.module.css';
import { Meter } from '../../components/meter.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { Notice } from '../../components/states/notice.tsx';
import { clusterColumn, numberColumn } from '../../components/table/columns.tsx';
import { RowButton } from '../../components/table/row-button.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import {
  explodingLabel,
  type MetricCardinality,
  metricTrouble,
  valueCount,
} from '../../components/telemetry/judge-cardinality.ts';
import { formatValue } from '../../format/index.ts';
import styles from './cardinality.module.css';

/** What is many stands on top; labels and limits must not be a long way down. */
const FOLD = 20;

interface Props {
  metrics: readonly MetricCardinality[];
  perMetricLimit: number;
  showCluster: boolean;
  selected: string | undefined;
  onSelect: (metric: MetricCardinality) => void;
  isFiltered: boolean;
}

export function metricKey({ metric, cluster }: { metric: string; cluster: string }): string {
  return `${cluster} ${metric}`;
}

/** Metrics by their series, with how many are new and which label makes them many. */
export function MetricTable({ metrics, perMetricLimit, showCluster, selected, onSelect, isFiltered }: Props) {
  const columns: Column<MetricCardinality>[] = [
    {
      id: 'metric',
      head: 'Metric',
      width: 'minmax(200px, 2.4fr)',
      phone: 'title',
      value: (m) => m.metric,
      cell: (m) => {
        const trouble = metricTrouble(m, perMetricLimit);
        return (
          <>
            {trouble === undefined ? null : <StateMark state="warning" />}
            <RowButton label={trouble === undefined ? m.metric : `${m.metric} ${trouble}`} onSelect={() => onSelect(m)}>
              <span className={layout.mono}>{m.metric}</span>
            </RowButton>
          </>
        );
      },
    },
    ...clusterColumn<MetricCardinality>(showCluster, (m) => m.cluster, { from: 'wide' }),
    numberColumn(metrics, {
      id: 'series',
      head: 'Series',
      unit: '',
      width: '72px',
      pick: (m) => m.series,
      phone: 'show',
    }),
    {
      id: 'share',
      head: 'of all',
      width: 'minmax(104px, 1fr)',
      from: 'medium',
      value: (m) => m.share,
      cell: (m) => (
        <div className={styles.share}>
          <Meter share={m.share} label={`${formatValue(m.share, 'ratio')} of all series`} />
          {formatValue(m.share, 'ratio')}
        </div>
      ),
    },
    numberColumn(metrics, {
      id: 'churn',
      head: 'new / h',
      unit: '',
      width: '72px',
      pick: (m) => Math.round(m.churnPerHour),
      hint: 'Churn: series per hour that were not there before',
    }),
    numberColumn(metrics, {
      id: 'growth',
      head: 'growth / h',
      unit: '',
      width: '80px',
      from: 'medium',
      signed: true,
      pick: (m) => Math.round(m.growthPerHour),
      hint: 'By how much the number of active series rises in an hour',
    }),
    {
      id: 'label',
      head: 'Most values',
      width: 'minmax(140px, 1.4fr)',
      phone: 'show',
      hint: 'The label with the most values; an exploding one is marked',
      value: (m) => m.labels[0]?.values,
      cell: (m) => <MostValues metric={m} />,
    },
    numberColumn(metrics, {
      id: 'refused',
      head: 'refused',
      unit: '',
      width: '72px',
      from: 'medium',
      pick: (m) => m.refused,
      look: (m) => m.refused > 0 && styles.explodes,
      hint: 'Samples refused by a limit since the server started',
    }),
  ];
  return (
    <Table
      label="Metrics"
      columns={columns}
      rows={metrics}
      rowKey={metricKey}
      initialSort={{ column: 'series', descending: true }}
      selectedKey={selected}
      onSelect={onSelect}
      fold={FOLD}
      empty={
        isFiltered ? (
          <Notice state="unknown" title="No metric matches" fix="Clear the filter, or choose all clusters." />
        ) : (
          <Notice
            state="unknown"
            title="No series has come in yet"
            why="Series are counted as they arrive; after a start that takes a scrape or two."
          />
        )
      }
    />
  );
}

/** `× 24`, or `≈ 4900` where that is an estimate. */
function times(values: number): string {
  const count = valueCount(values);
  return count.startsWith('≈') ? count : `× ${count}`;
}

function MostValues({ metric }: { metric: MetricCardinality }) {
  const [most] = metric.labels;
  if (most === undefined) return <span className={layout.muted}>no labels</span>;
  return (
    <span title={`${most.name} has ${valueCount(most.values)} values, like ${most.example}`}>
      <code className={explodingLabel(metric) ? styles.explodes : ''}>{most.name}</code>{' '}
      <span className={layout.secondary}>{times(most.values)}</span>
    </span>
  );
}
