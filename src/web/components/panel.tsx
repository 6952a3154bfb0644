import { IconChartLine, IconListDetails, IconStairs } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { cx } from './class-names.ts';
import styles from './panel.module.css';

export type SignalKind = 'metrics' | 'logs' | 'traces';

const ICONS = { metrics: IconChartLine, logs: IconListDetails, traces: IconStairs } as const;

/** The icon of a kind of signal in its own hue. */
export function SignalIcon({ kind, size = 14 }: { kind: SignalKind; size?: number }) {
  const Icon = ICONS[kind];
  return <Icon size={size} stroke={1.75} className={styles[kind]} aria-hidden="true" />;
}

interface Props {
  title: ReactNode;
  signal?: SignalKind;
  /** Buttons at the right of the head. */
  actions?: ReactNode;
  /** Words beside the title. */
  note?: ReactNode;
  flush?: boolean;
  children: ReactNode;
}

/** A titled card. `flush` lets tables reach its borders. */
export function Panel({ title, signal, actions, note, flush, children }: Props) {
  return (
    <section className={styles.panel}>
      <header className={styles.head}>
        {signal ? <SignalIcon kind={signal} /> : null}
        <h2 className={styles.title}>{title}</h2>
        {note === undefined ? null : <span className={styles.note}>{note}</span>}
        {actions === undefined ? null : <span className={styles.actions}>{actions}</span>}
      </header>
      <div className={cx(styles.body, flush && styles.flush)}>{children}</div>
    </section>
  );
}
