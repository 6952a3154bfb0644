import type { CardinalityResponse } from '../../../api/contract/index.ts';
import { Meter } from '../../components/meter.tsx';
import type { State } from '../../components/state.ts';
import { formatValue } from '../../format/index.ts';
import styles from './cardinality.module.css';

/** How much of each limit is in use: over all, by cluster, and by the largest metric. */
export function ClusterMeters({ cardinality }: { cardinality: CardinalityResponse }) {
  const { active, limit, perMetricLimit, clusters, metrics } = cardinality;
  const largest = Math.max(0, ...metrics.map((m) => m.series));
  const rows = [
    { name: 'All series', used: active, of: limit },
    ...clusters.map(({ cluster, series, limit }) => ({ name: cluster, used: series, of: limit })),
    { name: 'The largest metric', used: largest, of: perMetricLimit },
  ];
  return (
    <div className={styles.meters}>
      {rows.map(({ name, used, of }) => {
        const share = of === 0 ? 0 : used / of;
        const words = `${formatValue(used, '')} of ${formatValue(of, '')}`;
        return (
          <div key={name}>
            <span>{name}</span>
            <span>{words}</span>
            <Meter share={share} label={`${name}: ${words}`} state={stateOf(share)} />
          </div>
        );
      })}
    </div>
  );
}

function stateOf(share: number): State | undefined {
  return share >= 1 ? 'critical' : share >= 0.8 ? 'warning' : undefined;
}
