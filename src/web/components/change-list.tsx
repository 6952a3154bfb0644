import type { ChangeItem } from '../../api/contract/index.ts';
import styles from './change-list.module.css';
import { EntityChip } from './entity/entity-chip.tsx';
import { Moment } from './moment.tsx';

/** What changed, newest first, one line each. */
export function ChangeList({ changes, most = 8 }: { changes: readonly ChangeItem[]; most?: number }) {
  return (
    <ul className={styles.list}>
      {changes.slice(0, most).map((change) => (
        <li key={change.id} className={styles.item}>
          <span className={styles.time}>
            <Moment at={change.at} />
          </span>
          <span className={styles.kind}>{change.kind}</span>
          <span className={styles.entity}>
            <EntityChip entity={change.entity} look="plain" />
          </span>
          <span className={styles.summary} title={`${change.before} → ${change.after}`}>
            {change.summary}
          </span>
          {change.actor === undefined ? null : <span className={styles.actor}>by {change.actor}</span>}
        </li>
      ))}
      {changes.length > most ? (
        <li className={styles.rest}>and {changes.length - most} earlier in this range</li>
      ) : null}
    </ul>
  );
}
