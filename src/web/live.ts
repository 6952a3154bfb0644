import type { Query, QueryClient } from '@tanstack/react-query';

/**
 * The page's clock. It moves in ticks, so that all panels show one moment; a tick waits for the answers of the last
 * one, and none comes while the tab is hidden, text is selected, or something on the page is pinned.
 */
export interface Live {
  /** Server time of the last tick, in milliseconds. */
  now(): number;
  /** 0 when the page does not refresh by itself. */
  every(): number;
  setEvery(ms: number): void;
  refresh(): void;
  subscribe(listener: () => void): () => void;
  /** Holds ticks back until the returned function is called. */
  pause(): () => void;
  /** Corrects for a viewer's clock that is off. */
  setServerTime(serverMs: number, receivedAtMs: number): void;
  stop(): void;
}

export const REFRESH_CHOICES = [0, 10_000, 30_000, 60_000, 300_000] as const;
const KEY = 'trifocal-refresh';
/** Answers that are the same for good. */
const UNCHANGING: ReadonlySet<unknown> = new Set(['signals', 'investigation']);

export function startLive(client: QueryClient): Live {
  const listeners = new Set<() => void>();
  let offset = 0;
  let now = Date.now();
  let every = storedEvery();
  let pauses = 0;
  const tell = () => {
    for (const listener of listeners) listener();
  };
  /** Moves the page's moment on; then, with all windows at their new place, asks again what is on the page. */
  const tick = (isWanted: (query: Query) => boolean) => {
    now = Date.now() + offset;
    tell();
    setTimeout(() => void client.refetchQueries({ type: 'active', predicate: isWanted }));
  };
  const isBusy = () => pauses > 0 || document.hidden || client.isFetching() > 0 || hasSelection();
  const timer = setInterval(() => {
    if (every > 0 && Date.now() + offset - now >= every && !isBusy()) tick((query) => query.meta?.isLive === true);
  }, 1000);
  return {
    now: () => now,
    every: () => every,
    setEvery(ms) {
      every = ms;
      localStorage.setItem(KEY, String(ms));
      tell();
    },
    refresh: () => tick(({ queryKey }) => !UNCHANGING.has(queryKey[0])),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pause() {
      pauses++;
      let held = true;
      return () => {
        if (held) pauses--;
        held = false;
      };
    },
    setServerTime(serverMs, receivedAtMs) {
      const measured = serverMs - receivedAtMs;
      // Below two seconds it may as well be the way there and back.
      offset = Math.abs(measured) < 2000 ? 0 : measured;
    },
    stop: () => clearInterval(timer),
  };
}

function storedEvery(): number {
  const stored = Number(localStorage.getItem(KEY) ?? 30_000);
  return REFRESH_CHOICES.find((choice) => choice === stored) ?? 30_000;
}

function hasSelection(): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed;
}
