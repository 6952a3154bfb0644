import type { ReactNode } from 'react';
import { ApiError } from '../../client.ts';
import type { State } from '../state.ts';
import { StateMark } from '../state-mark.tsx';
import styles from './notice.module.css';

interface Props {
  state: State;
  /** What is the case. */
  title: ReactNode;
  /** Why. */
  why?: ReactNode;
  /** What to do about it: text, a link, a button. */
  fix?: ReactNode;
  /** One line instead of a block. */
  inline?: boolean;
}

/** Says in place why something cannot be shown, and what to do. */
export function Notice({ state, title, why, fix, inline }: Props) {
  return (
    <div className={inline ? styles.inline : styles.notice}>
      <StateMark state={state} size={inline ? 14 : 16} />
      <div className={styles.words}>
        <span className={styles.title}>{title}</span>
        {why === undefined ? null : <span className={styles.why}>{why}</span>}
        {fix === undefined ? null : <span className={styles.fix}>{fix}</span>}
      </div>
    </div>
  );
}

/** A question that the server refused or could not answer. */
export function Failure({ error, what, onRetry }: { error: Error; what: string; onRetry?: () => void }) {
  const hint = error instanceof ApiError ? error.hint : undefined;
  return (
    <Notice
      state="warning"
      title={`${what} could not be loaded`}
      why={error.message}
      fix={
        <>
          {hint === undefined ? null : <span>{hint} </span>}
          {onRetry === undefined ? null : (
            <button type="button" className={styles.retry} onClick={onRetry}>
              Try again
            </button>
          )}
        </>
      }
    />
  );
}

/** Holds the place of what is on its way, so that nothing jumps when it comes. */
export function Loading({ height = 120, label = 'Loading' }: { height?: number; label?: string }) {
  return (
    <div className={styles.loading} style={{ height }} role="status" aria-label={label}>
      <span className={styles.bar} />
    </div>
  );
}

/** Rows of a table that is on its way. */
export function LoadingRows({ rows = 4 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className={styles.rows}>
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: identical placeholders
        <span key={i} className={styles.row}>
          <span className={styles.ghost} style={{ width: `${62 - ((i * 17) % 34)}%` }} />
        </span>
      ))}
    </div>
  );
}
