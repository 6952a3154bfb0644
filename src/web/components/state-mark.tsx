import { cx } from './class-names.ts';
import { STATE_WORD, type State } from './state.ts';
import styles from './state-mark.module.css';

interface Props {
  state: State;
  /** The word beside the shape; left out, the shape is named for screen readers and on hover only. */
  label?: string;
  size?: number;
}

/** A state by shape and word; colour only repeats what the shape says. */
export function StateMark({ state, label, size = 14 }: Props) {
  const word = STATE_WORD[state];
  return (
    <span className={cx(styles.mark, styles[state])} title={label === undefined ? word : undefined}>
      <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
        {SHAPES[state]}
      </svg>
      {label === undefined ? (
        <span className={styles.hidden}>{word}</span>
      ) : (
        <span className={styles.label}>{label}</span>
      )}
    </span>
  );
}

const line = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 1.5,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const;

const SHAPES: Readonly<Record<State, React.ReactNode>> = {
  ok: (
    <>
      <circle cx="8" cy="8" r="6" {...line} />
      <path d="M5.4 8.2l1.8 1.8 3.4-3.8" {...line} />
    </>
  ),
  warning: (
    <path d="M8 2.2L14.4 13.4H1.6z" fill="currentColor" stroke="currentColor" strokeWidth="1" strokeLinejoin="round" />
  ),
  critical: (
    <path
      d="M8 1.2L14.8 8 8 14.8 1.2 8z"
      fill="currentColor"
      stroke="currentColor"
      strokeWidth="0.8"
      strokeLinejoin="round"
    />
  ),
  unknown: (
    <>
      <circle cx="8" cy="8" r="6" {...line} strokeDasharray="2.4 2.3" />
      <path d="M6.4 6.6a1.65 1.65 0 1 1 2.3 1.5c-.5.25-.7.5-.7 1" {...line} strokeWidth={1.3} />
      <circle cx="8" cy="11" r="0.75" fill="currentColor" />
    </>
  ),
  stale: <circle cx="8" cy="8" r="5.8" {...line} strokeDasharray="0.1 3" strokeWidth={1.9} />,
  idle: <circle cx="8" cy="8" r="6" {...line} />,
  silenced: (
    <>
      <circle cx="8" cy="8" r="6" {...line} />
      <path d="M4 12L12 4" {...line} />
    </>
  ),
};
