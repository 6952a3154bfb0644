import type { ReactNode } from 'react';
import styles from './row-button.module.css';

/** The name in a row that opens beside the list instead of on a page of its own: what arrow keys move between. */
export function RowButton({ label, onSelect, children }: { label: string; onSelect: () => void; children: ReactNode }) {
  return (
    <button type="button" className={styles.button} data-row-link="" title={label} onClick={onSelect}>
      {children}
    </button>
  );
}
