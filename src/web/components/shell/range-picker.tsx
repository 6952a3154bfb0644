import { Button, Popover } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useState } from 'react';
import { formatRange, fromLocalInput, toLocalInput, viewerZone, zoneName } from '../../format/index.ts';
import { useNow, usePageSearch, useRange, useSetSearch, useZone } from '../../page.ts';
import { QUICK_RANGES } from '../../range.ts';
import { DEFAULT_FROM } from '../../search.ts';
import { cx } from '../class-names.ts';
import styles from './range-picker.module.css';
import bar from './top-bar.module.css';

/** The one time range of everything on the page, with the one zone that all its times are in. */
export function RangePicker() {
  const [isOpen, setOpen] = useState(false);
  const search = usePageSearch();
  const setSearch = useSetSearch();
  const range = useRange();
  const zone = useZone();
  const now = useNow();
  const quick = QUICK_RANGES.find((known) => range.isLive && known.from === (search.from ?? DEFAULT_FROM));
  const exact = formatRange(range.from, range.to, zone, now);
  return (
    <span className={bar.joined}>
      <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={440} trapFocus>
        <Popover.Target>
          <button
            type="button"
            className={bar.control}
            onClick={() => setOpen(!isOpen)}
            aria-haspopup="dialog"
            aria-label={`Time range ${quick?.label ?? exact}`}
          >
            <IconClock size={14} stroke={1.5} aria-hidden="true" />
            <span title={exact}>{quick?.label ?? exact}</span>
          </button>
        </Popover.Target>
        <Popover.Dropdown className={styles.dropdown}>
          <ul className={styles.quick}>
            {QUICK_RANGES.map((known) => (
              <li key={known.from}>
                <button
                  type="button"
                  className={cx(styles.choice, known === quick && styles.chosen)}
                  onClick={() => {
                    setSearch({ from: known.from === DEFAULT_FROM ? undefined : known.from, to: undefined });
                    setOpen(false);
                  }}
                >
                  {known.label}
                </button>
              </li>
            ))}
          </ul>
          <FixedRange key={`${range.from}${zone}`} onDone={() => setOpen(false)} />
        </Popover.Dropdown>
      </Popover>
      <button
        type="button"
        className={cx(bar.control, bar.quiet)}
        title={`Times are in ${zone === 'UTC' ? 'UTC' : `${viewerZone} (${zoneName(zone, now)})`}. Click for ${zone === 'UTC' ? viewerZone : 'UTC'}.`}
        aria-label={`Times in ${zoneName(zone, now)}, switch`}
        onClick={() => setSearch({ tz: zone === 'UTC' ? undefined : 'utc' })}
      >
        {zoneName(zone, now)}
      </button>
    </span>
  );
}

function FixedRange({ onDone }: { onDone: () => void }) {
  const range = useRange();
  const zone = useZone();
  const now = useNow();
  const setSearch = useSetSearch();
  const [from, setFrom] = useState(toLocalInput(range.from, zone));
  const [to, setTo] = useState(toLocalInput(range.to, zone));
  const start = fromLocalInput(from, zone);
  const end = fromLocalInput(to, zone);
  const problem =
    start === undefined || end === undefined
      ? 'Give both times.'
      : start >= end
        ? 'The start must be before the end.'
        : undefined;
  return (
    <form
      className={styles.fixed}
      onSubmit={(event) => {
        event.preventDefault();
        if (start === undefined || end === undefined || problem) return;
        setSearch({ from: new Date(start).toISOString(), to: new Date(end).toISOString() });
        onDone();
      }}
    >
      <label className={styles.field}>
        From
        <input
          type="datetime-local"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
          className={styles.input}
        />
      </label>
      <label className={styles.field}>
        To
        <input
          type="datetime-local"
          value={to}
          onChange={(event) => setTo(event.target.value)}
          className={styles.input}
        />
      </label>
      <p className={styles.note}>{problem ?? `Times in ${zoneName(zone, now)}.`}</p>
      <Button type="submit" size="compact-sm" h={28} disabled={problem !== undefined}>
        Show
      </Button>
    </form>
  );
}
