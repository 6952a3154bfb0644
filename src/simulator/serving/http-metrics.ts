import { createHistogram, type Histogram } from '../core/histogram.ts';

/** Seconds; OpenTelemetry's advice for HTTP, continued to where slow model calls end. */
const DURATION_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120];

export interface RouteMetrics {
  labels: Readonly<Record<string, string>>;
  duration: Histogram;
}

/** Durations of answered HTTP requests by label set, as an instrumented service counts them. */
export interface HttpMetrics {
  observe(labels: Readonly<Record<string, string>>, seconds: number): void;
  /** In order of first use. */
  readonly routes: readonly RouteMetrics[];
}

export function createHttpMetrics(): HttpMetrics {
  const byKey = new Map<string, RouteMetrics>();
  const routes: RouteMetrics[] = [];
  return {
    routes,
    observe(labels, seconds) {
      const key = Object.values(labels).join('\u0000');
      let route = byKey.get(key);
      if (!route) {
        route = { labels, duration: createHistogram(DURATION_BOUNDS) };
        byKey.set(key, route);
        routes.push(route);
      }
      route.duration.observe(seconds);
    },
  };
}
