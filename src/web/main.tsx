/**
 * The pages of Trifocal: React in the browser, over nothing but the own origin's API. Keeps no state that is not in the
 * address, except what belongs to the viewer (theme, folded rail, refresh). Made for this content security policy:
 * `default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:` (Mantine sets styles on elements).
 */
import './theme/fonts.css';
import './theme/styles.ts';
import './theme/tokens.css';
import './theme/base.css';
import { MantineProvider } from '@mantine/core';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { ApiError } from './client.ts';
import { startLive } from './live.ts';
import { LiveContext } from './page.ts';
import { router } from './routes.tsx';
import { colorSchemeManager, cssVariablesResolver, theme } from './theme/mantine.ts';

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // One question that did not get through is reason to ask whether the server is there at all: the shell says so.
    onError: (error, query) => {
      if (error instanceof ApiError && error.status === 0 && query.queryKey[0] !== 'status')
        void queries.invalidateQueries({ queryKey: ['status'] });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // Answers of windows that have passed are of no use.
      gcTime: 60_000,
      refetchOnWindowFocus: false,
      // A refusal stays a refusal; only what could not be reached or broke inside is asked again.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});
const live = startLive(queries);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariablesResolver}
    colorSchemeManager={colorSchemeManager}
    defaultColorScheme="auto"
  >
    <QueryClientProvider client={queries}>
      <LiveContext value={live}>
        <RouterProvider router={router} />
      </LiveContext>
    </QueryClientProvider>
  </MantineProvider>,
);
