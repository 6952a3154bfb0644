import type { Cluster } from '../cluster.ts';
import type { PodRuntime } from '../pod-runtime.ts';
import { cadvisorPage } from './cadvisor-page.ts';
import { dcgmPage } from './dcgm-page.ts';
import { httpPage, qdrantPage } from './http-page.ts';
import { kubeStateMetricsPage } from './kube-state-metrics-page.ts';
import { nodeExporterPage } from './node-exporter-page.ts';
import type { Page } from './page.ts';
import { vllmPage } from './vllm-page.ts';

/** One scrape target: where the page is, and the labels that the scrape configuration gives its series. */
export interface ScrapeTarget {
  cluster: string;
  job: string;
  intervalMs: number;
  path: string;
  /** `instance` and what else the configuration adds, without `job` and `cluster`. */
  labels: Readonly<Record<string, string>>;
  page: Page;
}

const INTERVAL_MS = 15_000;
/** What changes slowly is scraped less often, as kube-prometheus does. */
const SLOW_INTERVAL_MS = 30_000;
const HTTP_SERVICES = ['gateway', 'rag-api', 'embedding'];

/** All targets of a cluster. `now` is only for pages that show the time itself. */
export function createTargets(cluster: Cluster, now: () => number): ScrapeTarget[] {
  const { plan, pods } = cluster;
  const target = (job: string, labels: Record<string, string>, page: Page, intervalMs = INTERVAL_MS): ScrapeTarget => ({
    cluster: plan.name,
    job,
    intervalMs,
    path: `/${plan.name}/${job}/${labels.instance}/metrics`,
    labels,
    page,
  });
  const engines = [...cluster.replicas.values()]
    .flat()
    .map((replica) => target('vllm', podLabels(replica.pod), vllmPage(replica)));
  const services = pods
    .filter((pod) => HTTP_SERVICES.includes(pod.source.workload))
    .map((pod) =>
      target(pod.source.workload, podLabels(pod), httpPage(pod, metricsOf(cluster, pod), cluster.callers.get(pod))),
    );
  const databases = pods
    .filter((pod) => pod.source.workload === 'qdrant')
    .map((pod) => target('qdrant', podLabels(pod), qdrantPage(pod, metricsOf(cluster, pod))));
  const nodes = cluster.machines.flatMap((machine) => {
    const node = machine.plan.name;
    const hostIp = pods.find((pod) => pod.machine === machine && pod.source.workload === 'node-exporter')?.source.podIp;
    const exporter = pods.find((pod) => pod.machine === machine && pod.source.workload === 'dcgm-exporter');
    return [
      target('node-exporter', { instance: `${hostIp}:9100`, node }, nodeExporterPage(machine, now), SLOW_INTERVAL_MS),
      target('cadvisor', { instance: `${hostIp}:10250`, node }, cadvisorPage(cluster, machine, now), SLOW_INTERVAL_MS),
      ...(exporter
        ? [
            target(
              'dcgm-exporter',
              { instance: `${exporter.source.podIp}:9400`, node },
              dcgmPage(machine, cluster.ownerOf),
            ),
          ]
        : []),
    ];
  });
  const stateMetrics = pods
    .filter((pod) => pod.source.workload === 'kube-state-metrics')
    .map((pod) => {
      const instance = `${pod.source.podIp}:8080`;
      return target('kube-state-metrics', { instance }, kubeStateMetricsPage(cluster.store), SLOW_INTERVAL_MS);
    });
  return [...engines, ...services, ...databases, ...nodes, ...stateMetrics];
}

function podLabels(pod: PodRuntime): Record<string, string> {
  const { namespace, pod: name, container, node, podIp } = pod.source;
  return { instance: `${podIp}:${pod.port}`, namespace, pod: name, container, node };
}

function metricsOf(cluster: Cluster, pod: PodRuntime) {
  const metrics = cluster.http.get(pod);
  if (!metrics) throw new Error(`no HTTP metrics of ${pod.source.pod}`);
  return metrics;
}
