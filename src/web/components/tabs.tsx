import { Link } from '@tanstack/react-router';
import { usePageSearch } from '../page.ts';
import { cx } from './class-names.ts';
import styles from './tabs.module.css';

export interface Tab {
  /** In the address; the first tab has none. */
  id: string;
  label: string;
  count?: number | undefined;
}

/** The sections of a page; the chosen one is in the address. */
export function Tabs({ tabs }: { tabs: readonly Tab[] }) {
  const chosen = useChosenTab(tabs);
  return (
    <nav className={styles.tabs} aria-label="Sections">
      {tabs.map(({ id, label, count }, i) => (
        <Link
          key={id}
          to="."
          // The first tab is the default, and defaults are not written.
          search={(before) => ({ ...before, tab: i === 0 ? undefined : id, q: undefined }) as never}
          className={cx(styles.tab, id === chosen && styles.chosen)}
          aria-current={id === chosen ? 'page' : undefined}
        >
          {label}
          {count === undefined || count === 0 ? null : <span className={styles.count}>{count}</span>}
        </Link>
      ))}
    </nav>
  );
}

export function useChosenTab(tabs: readonly Tab[]): string {
  const { tab } = usePageSearch();
  return tabs.find(({ id }) => id === tab)?.id ?? tabs[0]?.id ?? '';
}
