import { cx } from './class-names.ts';
import styles from './meter.module.css';
import type { State } from './state.ts';

interface Props {
  /** 0 to 1; more is drawn as full. */
  share: number;
  label: string;
  state?: State | undefined;
}

/** How much of a limit is used, as a bar. The numbers stand beside it. */
export function Meter({ share, label, state }: Props) {
  const percent = Math.max(0, Math.min(1, share)) * 100;
  return (
    <span className={styles.meter} role="img" aria-label={label} title={label}>
      <span className={cx(styles.fill, state && styles[state])} style={{ width: `${percent}%` }} />
    </span>
  );
}
