import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useLive } from '../../page.ts';
import { statusQuery } from '../../queries.ts';
import { EntityCardLayer } from '../entity/entity-card.tsx';
import { StateMark } from '../state-mark.tsx';
import { TroubleBanner } from '../trouble/trouble-banner.tsx';
import { useScreen } from '../use-screen.ts';
import { useKeys } from './keys.ts';
import { Rail } from './rail.tsx';
import styles from './shell.module.css';
import { TopBar } from './top-bar.tsx';

const Palette = lazy(() => import('../palette/palette.tsx'));
const KeysHelp = lazy(() => import('./keys-help.tsx'));
const FOLDED = 'trifocal-rail-folded';

/** What surrounds every page: rail, top bar, palette, banners. */
export function Shell() {
  const screen = useScreen();
  const [wantsFolded, setFolded] = useState(() => localStorage.getItem(FOLDED) === '1');
  const [open, setOpen] = useState<'menu' | 'palette' | 'keys'>();
  const close = useCallback(() => setOpen(undefined), []);
  useKeys({ onPalette: () => setOpen('palette'), onHelp: () => setOpen('keys') });
  useServerTime();
  useFocusOnNavigation();
  const fold = () => {
    localStorage.setItem(FOLDED, wantsFolded ? '0' : '1');
    setFolded(!wantsFolded);
  };
  return (
    <div className={styles.shell}>
      <a href="#page" className={styles.skip}>
        Skip to the page
      </a>
      {screen === 'phone' ? null : <Rail isFolded={screen === 'narrow' || wantsFolded} onFold={fold} />}
      {screen === 'phone' && open === 'menu' ? (
        // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the area beside the drawer; Escape closes it too
        <div className={styles.drawer} onClick={(event) => event.target === event.currentTarget && close()}>
          <Rail isFolded={false} onFold={fold} onLeave={close} />
        </div>
      ) : null}
      <div className={styles.main}>
        <TopBar onMenu={() => setOpen('menu')} onPalette={() => setOpen('palette')} onKeys={() => setOpen('keys')} />
        <ServerBanner />
        <TroubleBanner />
        <div className={styles.scroller} data-scroller="">
          <main id="page" className={styles.page} tabIndex={-1}>
            <Outlet />
          </main>
        </div>
      </div>
      <EntityCardLayer />
      <Suspense>
        {open === 'palette' ? <Palette onClose={close} onKeys={() => setOpen('keys')} /> : null}
        {open === 'keys' ? <KeysHelp onClose={close} /> : null}
      </Suspense>
    </div>
  );
}

/** Nothing is more misleading than a page that quietly stopped: says when the server is away. */
function ServerBanner() {
  const { error, failureCount } = useQuery(statusQuery());
  if (!error && failureCount === 0) return null;
  return (
    <div className={styles.banner} role="alert">
      <StateMark state="critical" />
      Trifocal does not answer. What you see is from before; it is asked again every few seconds.
    </div>
  );
}

function useServerTime() {
  const live = useLive();
  const { data, dataUpdatedAt } = useQuery(statusQuery());
  useEffect(() => {
    if (data) live.setServerTime(Date.parse(data.now), dataUpdatedAt);
  }, [data, dataUpdatedAt, live]);
}

/** A new page begins at its top, and keyboards and screen readers begin there too. */
function useFocusOnNavigation() {
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  useEffect(() => {
    if (pathname === '') return;
    document.querySelector('[data-scroller]')?.scrollTo(0, 0);
  }, [pathname]);
}
