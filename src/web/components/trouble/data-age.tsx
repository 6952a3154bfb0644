import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { statusQuery } from '../../queries.ts';
import { Moment } from '../moment.tsx';
import { StateMark } from '../state-mark.tsx';
import styles from './trouble.module.css';
import { sourceKeyOf, troubleOf } from './visible-trouble.ts';

/** On pages of things of one cluster: that a source of theirs has stopped or is late, so that old values are not read as new. */
export function DataAge({ cluster }: { cluster: string }) {
  const { data } = useQuery(statusQuery());
  const late = troubleOf(data?.trouble ?? [], cluster).filter((t) => t.cluster === cluster && t.source !== undefined);
  const oldest = late.reduce<(typeof late)[number] | undefined>(
    (first, t) => (first === undefined || Date.parse(t.since) < Date.parse(first.since) ? t : first),
    undefined,
  );
  if (oldest === undefined) return null;
  const source = sourceKeyOf(oldest);
  return (
    <p className={styles.age}>
      <StateMark state="stale" />
      <span>
        What {late.length === 1 ? oldest.source : `${oldest.source} and ${late.length - 1} more`} of {cluster}{' '}
        {late.length === 1 ? 'sends' : 'send'} may end at <Moment at={oldest.since} /> (
        <Moment at={oldest.since} as="ago" />
        ).{' '}
        <Link to="/telemetry" search={{ cluster, ...(source === undefined ? {} : { sel: source }) }}>
          See the source
        </Link>
      </span>
    </p>
  );
}
