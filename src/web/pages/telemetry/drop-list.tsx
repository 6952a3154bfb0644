import { Link } from '@tanstack/react-router';
import { Moment } from '../../components/moment.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { Notice } from '../../components/states/notice.tsx';
import { protocolWords, reasonWords } from '../../components/telemetry/drop-words.ts';
import { formatValue, sentence } from '../../format/index.ts';
import styles from './telemetry.module.css';
import type { Drop } from './verdict.ts';

/** What was not stored: why, how much, an example, and what to do. What happens now stands first. */
export function DropList({ drops }: { drops: readonly Drop[] }) {
  if (drops.length === 0) return <Notice state="ok" title="Nothing was dropped since the server started" />;
  const sorted = [...drops].sort((a, b) => b.perSecond - a.perSecond || Date.parse(b.last) - Date.parse(a.last));
  return (
    <ul>
      {sorted.map((drop) => (
        <li key={`${drop.reason} ${drop.signal} ${drop.protocol}`} className={styles.drop}>
          <StateMark state={drop.perSecond > 0 ? 'warning' : 'idle'} />
          <span className={styles.reason}>
            <strong>{sentence(reasonWords(drop.reason))}</strong>: {formatValue(drop.count, '')} {drop.signal} by{' '}
            {protocolWords(drop.protocol)}
            {drop.sender === undefined ? '' : `, last from ${drop.sender}`}
          </span>
          <span className={styles.rate}>
            {drop.perSecond > 0 ? `${formatValue(drop.perSecond, '')} per second` : 'not now'}, last{' '}
            <Moment at={drop.last} as="ago" />
          </span>
          {drop.label === undefined ? null : (
            <span className={styles.below}>
              The label with the most values is <code>{drop.label}</code>.{' '}
              <Link to="/telemetry/cardinality" search={{ q: drop.label }}>
                See its cardinality
              </Link>
            </span>
          )}
          {drop.example === undefined ? null : <span className={styles.example}>{drop.example}</span>}
          <span className={styles.below}>{drop.fix}</span>
        </li>
      ))}
    </ul>
  );
}
