import { Link } from '@tanstack/react-router';
import type { Trouble } from '../../../api/contract/index.ts';
import { sentence } from '../../format/index.ts';
import { Moment } from '../moment.tsx';
import { StateMark } from '../state-mark.tsx';
import styles from './trouble.module.css';
import { isOfCardinality, sourceKeyOf } from './visible-trouble.ts';

/** Each trouble with since when, what to do, and the way to where it shows. */
export function TroubleList({ trouble }: { trouble: readonly Trouble[] }) {
  return (
    <ul className={styles.list}>
      {trouble.map((one) => (
        <li key={one.id} className={styles.item}>
          <StateMark state={one.severity} />
          <div className={styles.words}>
            <span>
              {sentence(one.words)} <Since trouble={one} />
            </span>
            <span className={styles.fix}>
              {one.fix} <Place trouble={one} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function Since({ trouble }: { trouble: Trouble }) {
  return (
    <span className={styles.since}>
      since <Moment at={trouble.since} />, <Moment at={trouble.since} as="ago" />
    </span>
  );
}

function Place({ trouble }: { trouble: Trouble }) {
  const source = sourceKeyOf(trouble);
  if (source !== undefined)
    return (
      <Link to="/telemetry" search={{ sel: source }}>
        Show this source
      </Link>
    );
  if (isOfCardinality(trouble)) return <Link to="/telemetry/cardinality">See which label it is</Link>;
  return null;
}
