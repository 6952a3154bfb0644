import { useSyncExternalStore } from 'react';

/** What fits: a phone has one column; `narrow` folds the rail; `wide` shows every column. */
export type Screen = 'phone' | 'narrow' | 'medium' | 'wide';

export function useScreen(): Screen {
  return useSyncExternalStore(subscribe, current);
}

function current(): Screen {
  const width = window.innerWidth;
  return width < 640 ? 'phone' : width < 1024 ? 'narrow' : width < 1280 ? 'medium' : 'wide';
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
}
