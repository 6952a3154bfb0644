import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { createContext, useCallback, useContext, useMemo, useSyncExternalStore } from 'react';
import { viewerZone, type Zone } from './format/index.ts';
import type { Live } from './live.ts';
import { statusQuery } from './queries.ts';
import { type PageRange, resolveRange } from './range.ts';
import type { PageSearch } from './search.ts';

export const LiveContext = createContext<Live | undefined>(undefined);

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error('LiveContext is missing');
  return live;
}

/** The moment that the page shows, in milliseconds; moves on with each tick. */
export function useNow(): number {
  const live = useLive();
  return useSyncExternalStore(live.subscribe, live.now);
}

export function usePageSearch(): PageSearch {
  return useSearch({ from: '__root__' });
}

/** The time range of the page, the same object until it moves. */
export function useRange(): PageRange {
  const { from, to } = usePageSearch();
  const now = useNow();
  return useMemo(() => resolveRange({ ...(from ? { from } : {}), ...(to ? { to } : {}) }, now), [from, to, now]);
}

export function useZone(): Zone {
  return usePageSearch().tz === 'utc' ? 'UTC' : viewerZone;
}

/** Patches the address. A choice is one step back in history; typing and following along replace. `undefined` removes a key. */
export function useSetSearch(): (
  patch: { [Key in keyof PageSearch]: PageSearch[Key] | undefined },
  how?: 'push' | 'replace',
) => void {
  const navigate = useNavigate();
  return useCallback(
    (patch, how = 'push') =>
      // `undefined` is how a key is removed; the router's type wants it left out, which would keep it.
      void navigate({
        to: '.',
        search: ((before: PageSearch) => ({ ...before, ...patch })) as never,
        replace: how === 'replace',
      }),
    [navigate],
  );
}

/** The clusters that pages show: the chosen one, or all. */
export function useClusters(): string[] {
  const { cluster } = usePageSearch();
  const { data } = useQuery(statusQuery());
  return useMemo(() => (cluster ? [cluster] : (data?.clusters ?? [])), [cluster, data]);
}
