import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useLive, useRange, useSetSearch } from '../../page.ts';
import { shiftRange, widenRange } from '../../range.ts';
import { NAVIGATION } from './navigation.ts';

/** What keys do everywhere, for the help and the palette. */
export const KEYS: readonly { keys: string; does: string }[] = [
  { keys: 'Ctrl K or ⌘ K', does: 'find an entity, page or action' },
  { keys: '/', does: 'filter the list of this page' },
  { keys: '[ and ]', does: 'half a range back, forward' },
  { keys: 'z', does: 'twice the range' },
  { keys: 'n', does: 'back to now' },
  { keys: 'r', does: 'refresh' },
  { keys: '↑ ↓', does: 'move between rows' },
  { keys: 'Enter', does: 'open the row' },
  { keys: 'Esc', does: 'close, unpin' },
  { keys: '?', does: 'this help' },
];

const SECOND_KEY_MS = 1200;

interface Props {
  onPalette: () => void;
  onHelp: () => void;
}

export function useKeys(does: Props) {
  const navigate = useNavigate();
  const setSearch = useSetSearch();
  const range = useRange();
  const live = useLive();
  const latest = useRef({ does, range });
  latest.current = { does, range };
  useEffect(() => {
    let goUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      const { does, range } = latest.current;
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        return does.onPalette();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (performance.now() < goUntil) {
        goUntil = 0;
        const entry = NAVIGATION.find(({ key }) => key === event.key);
        if (entry) return void navigate({ to: entry.to });
      }
      const actions: Record<string, () => void> = {
        g: () => {
          goUntil = performance.now() + SECOND_KEY_MS;
        },
        '/': () => {
          event.preventDefault();
          document.querySelector<HTMLInputElement>('[data-filter]')?.focus();
        },
        '?': does.onHelp,
        '[': () => setSearch(shiftRange(range, -1, live.now())),
        ']': () => setSearch(shiftRange(range, 1, live.now())),
        z: () => setSearch(widenRange(range, live.now())),
        n: () => setSearch({ from: undefined, to: undefined }),
        r: live.refresh,
      };
      actions[event.key]?.();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate, setSearch, live]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
