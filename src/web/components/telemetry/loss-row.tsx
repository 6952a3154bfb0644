import type { ReactNode } from 'react';
import type { State } from '../state.ts';
import { StateMark } from '../state-mark.tsx';
import styles from './loss-row.module.css';

interface Props {
  state: State;
  /** What was lost and why. */
  what: ReactNode;
  /** How much and when. */
  rate: ReactNode;
  /** How it came to be so. */
  because?: ReactNode;
  example: string | undefined;
  /** What to do. */
  fix?: ReactNode;
}

/** An item of a list of what was not stored. */
export function LossRow({ state, what, rate, because, example, fix }: Props) {
  return (
    <li className={styles.row}>
      <StateMark state={state} />
      <span className={styles.what}>{what}</span>
      <span className={styles.rate}>{rate}</span>
      {because === undefined ? null : <span className={styles.below}>{because}</span>}
      {example === undefined ? null : <span className={styles.example}>{example}</span>}
      {fix === undefined ? null : <span className={styles.below}>{fix}</span>}
    </li>
  );
}
