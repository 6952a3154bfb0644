import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Shell } from './components/shell/shell.tsx';
import { NotFound, PageCrash } from './components/states/page-states.tsx';
import { KEPT, type PageSearch, parseSearch, readSearch, stringifySearch } from './search.ts';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: (raw: Record<string, unknown>): PageSearch => readSearch(raw),
  search: { middlewares: [retainSearchParams([...KEPT])] },
});

/** A page is a folder in `pages/` that exports `Page`, and a line below. Each comes with its own chunk. */
function page<Path extends string>(path: Path, load: () => Promise<{ Page: ComponentType }>) {
  return createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, 'Page') });
}

const routeTree = root.addChildren([
  page('/', () => import('./pages/overview/overview-page.tsx')),
  page('/models', () => import('./pages/models/models-page.tsx')),
  page('/models/$cluster/$namespace/$name', () => import('./pages/model/model-page.tsx')),
  page('/workloads', () => import('./pages/workloads/workloads-page.tsx')),
  page('/gpus', () => import('./pages/gpus/gpus-page.tsx')),
  page('/e/$', () => import('./pages/entity/entity-page.tsx')),
  page('/explore/metrics', () => import('./pages/explore-metrics/metrics-page.tsx')),
  page('/explore/logs', () => import('./pages/explore-logs/logs-page.tsx')),
  page('/explore/traces', () => import('./pages/explore-traces/traces-page.tsx')),
  page('/traces/$id', () => import('./pages/trace/trace-page.tsx')),
  page('/investigations', () => import('./pages/investigations/investigations-page.tsx')),
  page('/investigations/$id', () => import('./pages/investigation/investigation-page.tsx')),
  page('/telemetry', () => import('./pages/telemetry/telemetry-page.tsx')),
  page('/telemetry/cardinality', () => import('./pages/cardinality/cardinality-page.tsx')),
  page('/telemetry/redaction', () => import('./pages/redaction/redaction-page.tsx')),
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: PageCrash,
  defaultPendingMs: 400,
  pathParamsAllowedCharacters: [':', '@', ',', '+'],
  scrollRestoration: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
