import { ActionIcon, Tooltip } from '@mantine/core';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { cx } from '../class-names.ts';
import { NAVIGATION, type NavigationEntry } from './navigation.ts';
import styles from './rail.module.css';

interface Props {
  isFolded: boolean;
  onFold: () => void;
  /** On a phone: closes the drawer that the rail then is. */
  onLeave?: () => void;
}

export function Rail({ isFolded, onFold, onLeave }: Props) {
  return (
    <nav className={cx(styles.rail, isFolded && styles.folded)} aria-label="Pages">
      <Link to="/" className={styles.brand} aria-label="Trifocal, Overview" {...(onLeave ? { onClick: onLeave } : {})}>
        <Mark />
        <span className={styles.name}>Trifocal</span>
      </Link>
      <ul className={styles.list}>
        {NAVIGATION.map((entry, i) => (
          <Fragment key={entry.to}>
            {entry.group !== undefined && NAVIGATION[i - 1]?.group !== entry.group ? (
              <li className={styles.group} aria-hidden="true">
                <span>{entry.group}</span>
              </li>
            ) : null}
            {entry.group === undefined && NAVIGATION[i - 1]?.group !== undefined ? (
              <li className={styles.rule} aria-hidden="true" />
            ) : null}
            <RailLink entry={entry} isFolded={isFolded} onLeave={onLeave} />
          </Fragment>
        ))}
      </ul>
      {onLeave ? null : (
        <ActionIcon
          variant="subtle"
          className={styles.fold}
          aria-label={isFolded ? 'Unfold the menu' : 'Fold the menu'}
          onClick={onFold}
        >
          {isFolded ? (
            <IconLayoutSidebarLeftExpand size={16} stroke={1.5} />
          ) : (
            <IconLayoutSidebarLeftCollapse size={16} stroke={1.5} />
          )}
        </ActionIcon>
      )}
    </nav>
  );
}

function RailLink({
  entry,
  isFolded,
  onLeave,
}: {
  entry: NavigationEntry;
  isFolded: boolean;
  onLeave: (() => void) | undefined;
}) {
  return (
    <li>
      <Tooltip label={entry.label} position="right" disabled={!isFolded}>
        <Link
          to={entry.to}
          className={styles.link}
          activeProps={{ className: cx(styles.link, styles.active) }}
          activeOptions={{ exact: entry.to === '/', includeSearch: false }}
          aria-label={entry.label}
          {...(onLeave ? { onClick: onLeave } : {})}
        >
          <entry.icon size={16} stroke={1.5} aria-hidden="true" />
          <span className={styles.name}>{entry.label}</span>
        </Link>
      </Tooltip>
    </li>
  );
}

/** Trifocal's mark: a lens cut into its three fields. */
function Mark() {
  return (
    <svg
      viewBox="0 0 24 24"
      width="20"
      height="20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="12" cy="12" r="9.6" />
      <path d="M3 8.8h18M4.5 15.4h15" />
    </svg>
  );
}
