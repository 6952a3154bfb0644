import type { PodRuntime } from '../pod-runtime.ts';
import type { CallerCounts } from '../serving/caller-counts.ts';
import type { HttpMetrics } from '../serving/http-metrics.ts';
import { createPage, type Page } from './page.ts';

/**
 * `/metrics` of an instrumented HTTP service: OpenTelemetry's server histogram in its Prometheus form, and the process;
 * the gateway also counts its callers.
 */
export function httpPage(pod: PodRuntime, http: HttpMetrics, callers?: CallerCounts): Page {
  return createPage(
    (page) => {
      for (const { labels, duration } of http.routes) {
        const help = 'Duration of HTTP server requests.';
        page.histogram('http_server_request_duration_seconds', help, labels, duration);
      }
      for (const count of callers?.all ?? []) {
        page.counter('gateway_requests_total', 'Answered requests by caller.', count.labels, () => count.requests);
      }
      const { container } = pod;
      page.counter(
        'process_cpu_seconds_total',
        'Total user and system CPU time spent in seconds.',
        {},
        () => container.cpuSeconds,
      );
      page.gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', {}, () =>
        Math.round(container.workingSetBytes * 0.9),
      );
      page.gauge(
        'process_start_time_seconds',
        'Start time of the process since unix epoch in seconds.',
        {},
        () => pod.startedMs / 1000,
      );
    },
    () => http.routes.length + (callers?.all.length ?? 0),
  );
}

/** `/metrics` of Qdrant (signals.md 7.1). */
export function qdrantPage(pod: PodRuntime, http: HttpMetrics): Page {
  const collection = { id: 'documents' };
  return createPage(
    (page) => {
      page.gauge('app_info', 'information about qdrant server', { name: 'qdrant', version: '1.15.4' }, () => 1);
      page.gauge('collections_total', 'number of collections', {}, () => 1);
      page.gauge('collection_points', 'approximate amount of points per collection', collection, () => 4_180_322);
      page.gauge(
        'collection_running_optimizations',
        'number of currently running optimization tasks per collection',
        collection,
        () => 0,
      );
      page.gauge('collection_dead_replicas', 'total amount of shard replicas in non-active state', {}, () => 0);
      for (const { labels, duration } of http.routes) {
        const shown = {
          method: labels.http_request_method ?? '',
          endpoint: labels.http_route ?? '',
          status: labels.http_response_status_code ?? '',
        };
        page.counter('rest_responses_total', 'total number of responses', shown, () => duration.count);
        page.histogram('rest_responses_duration_seconds', 'response duration histogram', shown, duration);
      }
      page.gauge('memory_resident_bytes', 'Total number of bytes in physically resident data pages mapped', {}, () =>
        Math.round(pod.container.workingSetBytes * 0.9),
      );
      page.gauge('process_threads', 'count of active threads', {}, () => 41);
    },
    () => http.routes.length,
  );
}
