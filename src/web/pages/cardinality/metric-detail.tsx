import { CloseButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Meter } from '../../components/meter.tsx';
import { Panel } from '../../components/panel.tsx';
import { Peek } from '../../components/peek.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { seriesCountQuery, valueCountQuery } from '../../components/telemetry/explore-query.ts';
import {
  explodingLabel,
  type MetricCardinality,
  metricTrouble,
  valueCount,
} from '../../components/telemetry/judge-cardinality.ts';
import { formatValue } from '../../format/index.ts';
import styles from './cardinality.module.css';
import { metricKey } from './metric-table.tsx';

interface Props {
  metric: MetricCardinality;
  perMetricLimit: number;
  onClose: () => void;
}

/** One metric beside the list: how near its limit, which label makes it many, and the queries that show it over time. */
export function MetricDetail({ metric, perMetricLimit, onClose }: Props) {
  const trouble = metricTrouble(metric, perMetricLimit);
  const exploding = explodingLabel(metric);
  const most = metric.labels[0]?.values ?? 0;
  return (
    <Peek label="Selected metric" subject={metricKey(metric)}>
      <Panel
        title={<code>{metric.metric}</code>}
        actions={<CloseButton size="sm" aria-label="Close" onClick={onClose} />}
      >
        <p className={styles.words}>
          <StateMark state={trouble === undefined ? 'ok' : 'warning'} /> It has {formatValue(metric.series, '')} series
          in {metric.cluster}
          {trouble === undefined ? ', far from its limit' : ` and ${trouble}`}.
        </p>
        {exploding === undefined ? null : (
          <p className={styles.advice}>
            The label <code className={styles.explodes}>{exploding.name}</code> explodes: it has{' '}
            {valueCount(exploding.values)} values, like <code>{exploding.example}</code>. Drop it where the metric is
            made or collected (<code>labeldrop</code> in Prometheus, an attributes processor in OpenTelemetry), or put
            what it tells into logs or traces.
          </p>
        )}
        <div className={styles.meters}>
          <div>
            <span>Series of those allowed per metric</span>
            <span>
              {formatValue(metric.series, '')} of {formatValue(perMetricLimit, '')}
            </span>
            <Meter
              share={metric.series / Math.max(1, perMetricLimit)}
              label={`${metric.series} of ${perMetricLimit} series`}
              state={metric.series >= perMetricLimit ? 'critical' : trouble === undefined ? undefined : 'warning'}
            />
          </div>
        </div>
        <p className={styles.head}>Labels by their values</p>
        <ul className={styles.labels}>
          {metric.labels.map((label) => (
            <li key={label.name} className={styles.label}>
              <code className={label === exploding ? styles.explodes : ''}>{label.name}</code>
              <Link
                to="/explore/metrics"
                search={{ q: valueCountQuery(metric.metric, label.name) }}
                className={styles.values}
                aria-label={`${valueCount(label.values)} values of ${label.name}, over time`}
                title={valueCountQuery(metric.metric, label.name)}
              >
                {valueCount(label.values)}
              </Link>
              <Meter
                share={label.values / Math.max(1, most)}
                label={`${valueCount(label.values)} values`}
                state={label === exploding ? 'warning' : undefined}
              />
              <span className={styles.small}>like {label.example}</span>
            </li>
          ))}
        </ul>
        <p className={styles.head}>Over time</p>
        <Link to="/explore/metrics" search={{ q: seriesCountQuery(metric.metric) }}>
          <code>{seriesCountQuery(metric.metric)}</code>
        </Link>
      </Panel>
    </Peek>
  );
}
