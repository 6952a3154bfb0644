import type { EntitySummary } from '../../../api/contract/index.ts';
import { formatRef } from '../../../model/index.ts';
import { cx } from '../../components/class-names.ts';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import { Panel } from '../../components/panel.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { formatValue, shortGpuName } from '../../format/index.ts';
import styles from './fleet-grid.module.css';
import type { Gpu } from './use-gpus.ts';

interface Props {
  gpus: readonly Gpu[];
  nodes: readonly EntitySummary[];
  showCluster: boolean;
  selected: string | undefined;
  onSelect: (gpu: Gpu) => void;
}

/** One cell per GPU, one row per node. The fill's height is the activity, the shape on it the state. */
export function FleetGrid({ gpus, nodes, showCluster, selected, onSelect }: Props) {
  const rows = new Map<string, Gpu[]>();
  for (const gpu of gpus) {
    const ref = formatRef('node', gpu.entity.cluster, '', gpu.node);
    rows.set(ref, [...(rows.get(ref) ?? []), gpu]);
  }
  return (
    <Panel title="Fleet" note="height: share of cycles with work · outline: free · shape: state">
      <ul className={styles.fleet}>
        {[...rows]
          .sort(([a], [b]) => a.localeCompare(b))
          .map(([ref, cards]) => {
            const node = nodes.find((n) => n.ref === ref);
            return (
              <li key={ref} className={styles.node}>
                <span className={styles.name}>
                  <EntityChip entity={ref} look="plain" />
                  <span className={styles.where}>
                    {showCluster ? cards[0]?.entity.cluster : ''}
                    {node?.facts.unschedulable === true ? ' cordoned' : ''}
                  </span>
                </span>
                <span className={styles.cells}>
                  {[...cards]
                    .sort((a, b) => a.index.localeCompare(b.index, undefined, { numeric: true }))
                    .map((gpu) => (
                      <Cell
                        key={gpu.entity.ref}
                        gpu={gpu}
                        isSelected={gpu.entity.ref === selected}
                        onSelect={() => onSelect(gpu)}
                      />
                    ))}
                </span>
              </li>
            );
          })}
      </ul>
    </Panel>
  );
}

function Cell({ gpu, isSelected, onSelect }: { gpu: Gpu; isSelected: boolean; onSelect: () => void }) {
  const name = shortGpuName(gpu.entity.name);
  const words = `${name} ${gpu.words}; activity ${formatValue(gpu.smActive, 'ratio')}, ${gpu.users.length === 0 ? 'free' : 'allocated'}`;
  return (
    <button
      type="button"
      className={cx(styles.cell, isSelected && styles.selected, gpu.users.length === 0 && styles.free)}
      title={words}
      aria-label={words}
      aria-pressed={isSelected}
      onClick={onSelect}
    >
      {gpu.kind === 'silent' ? (
        <span className={styles.hatch} />
      ) : (
        <span className={styles.fill} style={{ height: `${(gpu.smActive ?? 0) * 100}%` }} />
      )}
      <span className={styles.index}>{gpu.index}</span>
      {gpu.kind === 'well' ? null : (
        <span className={styles.mark}>
          <StateMark state={gpu.state} size={14} />
        </span>
      )}
    </button>
  );
}
