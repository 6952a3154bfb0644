import { CloseButton } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import type { Trouble } from '../../../api/contract/index.ts';
import { parseRef } from '../../../model/index.ts';
import { counted, sentence } from '../../format/index.ts';
import { usePageSearch } from '../../page.ts';
import { statusQuery } from '../../queries.ts';
import { cx } from '../class-names.ts';
import { StateMark } from '../state-mark.tsx';
import styles from './trouble.module.css';
import { TroubleList } from './trouble-list.tsx';
import { bannerOf, isOfCardinality, troubleOf } from './visible-trouble.ts';

const DISMISSED = 'trifocal-dismissed-trouble';

/** One line over every page whose data is stale or incomplete; unfolds to what it is and what to do. */
export function TroubleBanner() {
  const cluster = usePageCluster();
  const { data } = useQuery(statusQuery());
  const [isOpen, setOpen] = useState(false);
  const [dismissed, setDismissed] = useState(readDismissed);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  const shown = bannerOf(troubleOf(data?.trouble ?? [], cluster), dismissed).filter(
    (one) => !saysItself(pathname, one),
  );
  const [first] = shown;
  const dismiss = () => {
    const next = new Set([...dismissed, ...shown.filter((t) => t.severity === 'warning').map((t) => t.id)]);
    sessionStorage.setItem(DISMISSED, JSON.stringify([...next]));
    setDismissed(next);
    setOpen(false);
  };
  return (
    <div role="status" aria-label="Trust in the data">
      {first === undefined ? null : (
        <div className={cx(styles.banner, styles[first.severity])}>
          <div className={styles.line}>
            <StateMark state={first.severity} />
            <span className={styles.sentence}>{isOpen ? incomplete(shown.length) : sentence(first.words)}</span>
            <span className={styles.actions}>
              <button type="button" className={styles.toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
                {isOpen ? 'Less' : shown.length > 1 ? `and ${counted(shown.length - 1, 'more', 'more')}` : 'What to do'}
                {isOpen ? <IconChevronUp size={14} /> : <IconChevronDown size={14} />}
              </button>
              <Link to="/telemetry" className={styles.place}>
                See Telemetry
              </Link>
              {shown.some((t) => t.severity === 'warning') ? (
                <CloseButton size="sm" aria-label="Put these warnings away for this session" onClick={dismiss} />
              ) : null}
            </span>
          </div>
          {isOpen ? <TroubleList trouble={shown} /> : null}
        </div>
      )}
    </div>
  );
}

function incomplete(count: number): string {
  return `${counted(count, 'thing makes', 'things make')} what you see stale or incomplete.`;
}

/** Pages that begin with the trouble need no second line for it. */
function saysItself(pathname: string, trouble: Trouble): boolean {
  return pathname === '/telemetry' || (pathname === '/telemetry/cardinality' && isOfCardinality(trouble));
}

/** The cluster that the page is about: that of its entity, else the chosen one. */
function usePageCluster(): string | undefined {
  const { cluster } = usePageSearch();
  const ofEntity = useRouterState({
    select: (state) => {
      // The router knows the parameters page by page; here any of them is read by its name.
      const params = state.matches.at(-1)?.params as Record<string, string> | undefined;
      return params?.cluster ?? parseRef(params?._splat ?? '')?.cluster;
    },
  });
  return ofEntity ?? cluster;
}

function readDismissed(): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(DISMISSED) ?? '[]');
    return new Set(Array.isArray(stored) ? stored.map(String) : []);
  } catch {
    // Somebody else's text under this name: nothing is put away.
    return new Set();
  }
}
