import type { ReactNode } from 'react';
import { cx } from './class-names.ts';
import styles from './numbers.module.css';
import type { State } from './state.ts';

export interface KeyNumber {
  /** The figure as text and its unit, from `formatParts`. */
  text: string;
  unit?: string;
  /** What it is of. */
  label: ReactNode;
  /** What to hold it against: `objective 2.00 s · usual 0.92 s`. */
  against?: ReactNode;
  state?: State | undefined;
  /** The query or reason behind it, on hover. */
  hover?: string | undefined;
}

/** The three numbers that a page is read by. */
export function Numbers({ items }: { items: readonly KeyNumber[] }) {
  return (
    <dl className={styles.numbers}>
      {items.map((item, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a page's three numbers keep their places
        <div key={i} className={styles.item} title={item.hover}>
          <dd className={cx(styles.value, item.state && styles[item.state])}>
            {item.text}
            {item.unit ? <span className={styles.unit}>{item.unit}</span> : null}
          </dd>
          <dt className={styles.label}>{item.label}</dt>
          {item.against === undefined ? null : <dd className={styles.against}>{item.against}</dd>}
        </div>
      ))}
    </dl>
  );
}
