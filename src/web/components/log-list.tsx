import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { LogsResponse } from '../../api/contract/index.ts';
import { formatValue } from '../format/index.ts';
import { cx } from './class-names.ts';
import { EntityChip } from './entity/entity-chip.tsx';
import styles from './log-list.module.css';
import { Moment } from './moment.tsx';
import { Failure, LoadingRows, Notice } from './states/notice.tsx';

const STEP = 200;

/** Log lines, one row each; a click unfolds a line with its attributes and its trace. */
export function LogList({ answer }: { answer: UseQueryResult<LogsResponse, Error> }) {
  const { data, error, refetch } = answer;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState(STEP);
  if (error && !data) return <Failure error={error} what="Logs" onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows rows={8} />;
  if (data.items.length === 0)
    return (
      <Notice
        state="unknown"
        title="No lines in this range"
        why={`${formatValue(data.scannedRows, '')} lines were looked at. Either nothing was written, the filter leaves none, or no logs arrive from here.`}
        fix={<Link to="/telemetry">See which logs arrive</Link>}
      />
    );
  const toggle = (key: string) =>
    setOpen((before) => (before.has(key) ? new Set([...before].filter((k) => k !== key)) : new Set([...before, key])));
  return (
    <div className={styles.list}>
      {data.items.slice(0, shown).map((line, i) => {
        // Identical lines at the same nanosecond do occur; their place tells them apart.
        const key = `${line.timeNs} ${line.entity} ${i}`;
        return (
          <div key={key} className={styles.entry}>
            {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the time is the button for keys */}
            <div className={styles.line} onClick={() => document.getSelection()?.isCollapsed !== false && toggle(key)}>
              <button type="button" className={styles.time} aria-expanded={open.has(key)}>
                <Moment at={line.at} as="second" />
              </button>
              <span className={cx(styles.severity, styles[line.severity])}>{line.severity || '–'}</span>
              <span className={styles.entity}>
                <EntityChip entity={line.entity} look="plain" />
              </span>
              <span className={cx(styles.body, open.has(key) && styles.whole)}>{line.body}</span>
            </div>
            {open.has(key) ? (
              <dl className={styles.attributes}>
                {line.traceId === '' ? null : (
                  <div>
                    <dt>trace</dt>
                    <dd>
                      <Link to="/traces/$id" params={{ id: line.traceId }}>
                        {line.traceId}
                      </Link>
                    </dd>
                  </div>
                )}
                {Object.entries({ container: line.container, ...line.attributes })
                  .filter(([, value]) => value !== '')
                  .map(([name, value]) => (
                    <div key={name}>
                      <dt>{name}</dt>
                      <dd>{value}</dd>
                    </div>
                  ))}
              </dl>
            ) : null}
          </div>
        );
      })}
      <p className={styles.foot}>
        {Math.min(shown, data.items.length)} of {data.items.length} lines
        {data.truncated ? '; older ones were left out, narrow the range or the filter' : ''}.{' '}
        {shown < data.items.length ? (
          <button type="button" className={styles.more} onClick={() => setShown(shown + STEP)}>
            Show more
          </button>
        ) : null}
      </p>
    </div>
  );
}
