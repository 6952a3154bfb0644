import { Menu, Tooltip, useMantineColorScheme } from '@mantine/core';
import {
  IconArrowsDiff,
  IconCheck,
  IconDeviceDesktop,
  IconHexagons,
  IconKeyboard,
  IconMenu2,
  IconMoon,
  IconRefresh,
  IconSearch,
  IconSun,
} from '@tabler/icons-react';
import { useIsFetching, useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { coarse } from '../../format/index.ts';
import { REFRESH_CHOICES } from '../../live.ts';
import { useLive, usePageSearch, useSetSearch } from '../../page.ts';
import { statusQuery } from '../../queries.ts';
import type { PageSearch } from '../../search.ts';
import { cx } from '../class-names.ts';
import { Crumbs } from './crumbs.tsx';
import { RangePicker } from './range-picker.tsx';
import styles from './top-bar.module.css';

interface Props {
  onMenu: () => void;
  onPalette: () => void;
  onKeys: () => void;
}

export function TopBar({ onMenu, onPalette, onKeys }: Props) {
  return (
    <header className={styles.bar}>
      <div className={styles.left}>
        <button
          type="button"
          className={cx(styles.control, styles.icon, styles.menu)}
          onClick={onMenu}
          aria-label="Menu"
        >
          <IconMenu2 size={18} stroke={1.5} />
        </button>
        <Crumbs />
      </div>
      <div className={styles.right}>
        <ClusterFilter />
        <RangePicker />
        <Compare />
        <Refresh />
        <button
          type="button"
          className={cx(styles.control, styles.quiet, styles.first)}
          onClick={onPalette}
          aria-label="Search and commands"
        >
          <IconSearch size={14} stroke={1.5} aria-hidden="true" />
          <span className={styles.wide}>{isMac ? '⌘K' : 'Ctrl K'}</span>
        </button>
        <Appearance onKeys={onKeys} />
      </div>
    </header>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

function ClusterFilter() {
  const { cluster } = usePageSearch();
  const setSearch = useSetSearch();
  const { data } = useQuery(statusQuery());
  const clusters = data?.clusters ?? [];
  const known = cluster === undefined || clusters.includes(cluster) ? clusters : [cluster, ...clusters];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <button
          type="button"
          className={cx(styles.control, cluster !== undefined && styles.set)}
          aria-label={`Cluster: ${cluster ?? 'all'}`}
        >
          <IconHexagons size={14} stroke={1.5} aria-hidden="true" />
          {cluster ?? 'All clusters'}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Choice isChosen={cluster === undefined} onClick={() => setSearch({ cluster: undefined })}>
          All clusters
        </Choice>
        {known.map((name) => (
          <Choice key={name} isChosen={name === cluster} onClick={() => setSearch({ cluster: name })}>
            {name}
          </Choice>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const COMPARISONS: readonly { value: PageSearch['compare'] | undefined; label: string }[] = [
  { value: undefined, label: 'Compare: off' },
  { value: 'previous', label: 'The time before' },
  { value: 'day', label: 'A day earlier' },
  { value: 'week', label: 'A week earlier' },
];

function Compare() {
  const { compare } = usePageSearch();
  const setSearch = useSetSearch();
  const current = COMPARISONS.find((known) => known.value === compare);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <button
          type="button"
          className={cx(styles.control, styles.tablet, compare === undefined ? styles.quiet : styles.set)}
          aria-label={`Compare: ${compare ?? 'off'}`}
          title="What charts are compared with"
        >
          <IconArrowsDiff size={14} stroke={1.5} aria-hidden="true" />
          <span className={styles.wide}>{compare === undefined ? 'Compare' : current?.label}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {COMPARISONS.map(({ value, label }) => (
          <Choice key={label} isChosen={value === compare} onClick={() => setSearch({ compare: value })}>
            {value === undefined ? 'Off' : label}
          </Choice>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Refresh() {
  const live = useLive();
  const every = useSyncExternalStore(live.subscribe, live.every);
  const isFetching = useIsFetching() > 0;
  return (
    <span className={styles.joined}>
      <Tooltip label="Refresh now (r)" openDelay={500}>
        <button
          type="button"
          className={cx(styles.control, styles.icon)}
          onClick={live.refresh}
          aria-label="Refresh now"
          data-busy={isFetching}
        >
          <IconRefresh size={14} stroke={1.5} />
        </button>
      </Tooltip>
      <Menu position="bottom-end">
        <Menu.Target>
          <button
            type="button"
            className={cx(styles.control, styles.quiet, styles.tablet)}
            aria-label={every === 0 ? 'Automatic refresh: off' : `Refreshes every ${coarse(every / 1000)}`}
          >
            {every === 0 ? 'off' : coarse(every / 1000)}
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {REFRESH_CHOICES.map((ms) => (
            <Choice key={ms} isChosen={ms === every} onClick={() => live.setEvery(ms)}>
              {ms === 0 ? 'Off' : `Every ${coarse(ms / 1000)}`}
            </Choice>
          ))}
        </Menu.Dropdown>
      </Menu>
    </span>
  );
}

function Appearance({ onKeys }: { onKeys: () => void }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Icon = { light: IconSun, dark: IconMoon, auto: IconDeviceDesktop }[colorScheme];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <button
          type="button"
          className={cx(styles.control, styles.icon, styles.first)}
          aria-label="Appearance and help"
        >
          <Icon size={14} stroke={1.5} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['light', 'dark', 'auto'] as const).map((scheme) => (
          <Choice key={scheme} isChosen={scheme === colorScheme} onClick={() => setColorScheme(scheme)}>
            {{ light: 'Light', dark: 'Dark', auto: 'As the system' }[scheme]}
          </Choice>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconKeyboard size={14} stroke={1.5} />} onClick={onKeys}>
          Keyboard
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Choice({
  isChosen,
  onClick,
  children,
}: {
  isChosen: boolean;
  onClick: () => void;
  children: React.ReactNode;
}) {
  return (
    <Menu.Item
      onClick={onClick}
      leftSection={<IconCheck size={14} style={{ visibility: isChosen ? 'visible' : 'hidden' }} />}
      aria-current={isChosen}
    >
      {children}
    </Menu.Item>
  );
}
