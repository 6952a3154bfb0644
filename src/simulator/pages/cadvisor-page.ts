import type { Cluster } from '../cluster.ts';
import type { Machine } from '../hardware/machine.ts';
import { KERNEL } from '../kubernetes/build-objects.ts';
import type { Pod } from '../kubernetes/object-types.ts';
import { parseQuantity } from '../kubernetes/quantity.ts';
import type { PodRuntime } from '../pod-runtime.ts';
import { createPage, type Labels, type Page, type PageBuilder } from './page.ts';

const CPU_HELP = 'Cumulative cpu time consumed in seconds.';
const MEMORY_HELP = 'Current working set in bytes.';

/** The kubelet's `/metrics/cadvisor` of one node: each container, and each pod's own cgroup with its network. */
export function cadvisorPage(cluster: Cluster, machine: Machine, now: () => number): Page {
  return createPage(
    (page) => {
      const version = {
        cadvisorRevision: '',
        cadvisorVersion: '',
        dockerVersion: '',
        kernelVersion: KERNEL,
        osVersion: 'Ubuntu 22.04.5 LTS',
      };
      page.gauge('cadvisor_version_info', 'A metric with a constant \'1\' value.', version, () => 1); // biome-ignore format: short
      addRoot(page, machine);
      for (const pod of cluster.pods) if (pod.machine === machine) addPod(page, cluster, pod, now);
      page.gauge('machine_cpu_cores', 'Number of logical CPU cores.', {}, () => machine.plan.cores);
      page.gauge(
        'machine_memory_bytes',
        'Amount of memory installed on the machine.',
        {},
        () => machine.plan.memoryBytes,
      );
      page.gauge(
        'container_scrape_error',
        '1 if there was an error while getting container metrics, 0 otherwise',
        {},
        () => 0,
      );
    },
    () => cluster.podChanges,
  );
}

/** The machine's root cgroup: everything on it, which must not be summed with its parts. */
function addRoot(page: PageBuilder, machine: Machine): void {
  const root = { container: '', id: '/', image: '', name: '', namespace: '', pod: '' };
  const { cpu } = machine;
  page.counter(
    'container_cpu_usage_seconds_total',
    CPU_HELP,
    { ...root, cpu: 'total' },
    () => cpu.user + cpu.system + cpu.softirq,
  );
  page.gauge('container_memory_working_set_bytes', MEMORY_HELP, root, () => Math.round(machine.usedMemoryBytes));
}

function addPod(page: PageBuilder, cluster: Cluster, pod: PodRuntime, now: () => number): void {
  const { source } = pod;
  const object = cluster.store.get('pods', source.namespace, source.pod);
  if (!object) return;
  const containerId = object.status.containerStatuses[0]?.containerID.replace('containerd://', '') ?? '';
  const slice = `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${source.podUid.replaceAll('-', '_')}.slice`;
  const common = { namespace: source.namespace, pod: source.pod };
  const labels = {
    container: source.container,
    id: `${slice}/cri-containerd-${containerId}.scope`,
    image: source.image,
    name: containerId,
    ...common,
  };
  const podLabels = { container: '', id: slice, image: '', name: '', ...common };
  addUse(page, pod, labels);
  addUse(page, pod, podLabels);
  addPressure(page, pod, labels);
  addContainer(page, pod, object, labels, now);
  addNetwork(page, pod, { ...podLabels, interface: 'eth0' });
}

/** What both cgroups show, the container's and the pod's around it. */
function addUse(page: PageBuilder, { container }: PodRuntime, labels: Labels): void {
  page.counter('container_cpu_usage_seconds_total', CPU_HELP, { ...labels, cpu: 'total' }, () => container.cpuSeconds);
  page.gauge('container_memory_working_set_bytes', MEMORY_HELP, labels, () => Math.round(container.workingSetBytes));
}

/** Waiting and throttling; kept for the container only, since the pod's cgroup repeats them. */
function addPressure(page: PageBuilder, { container }: PodRuntime, labels: Labels): void {
  const counter = (name: string, help: string, read: () => number) =>
    page.counter(`container_${name}`, help, labels, read);
  counter('oom_events_total', 'Count of out of memory events observed for the container', () => 0);
  counter(
    'pressure_cpu_waiting_seconds_total',
    'Total time duration tasks in the container have waited due to CPU congestion.',
    () => container.cpuWaitingSeconds,
  );
  counter(
    'pressure_memory_stalled_seconds_total',
    'Total time duration no tasks in the container could make progress due to memory congestion.',
    () => 0,
  );
  if (container.limitCores === undefined) return;
  counter('cpu_cfs_periods_total', 'Number of elapsed enforcement period intervals.', () =>
    Math.round(container.cfsPeriods),
  );
  counter('cpu_cfs_throttled_periods_total', 'Number of throttled period intervals.', () =>
    Math.round(container.cfsThrottledPeriods),
  );
  counter(
    'cpu_cfs_throttled_seconds_total',
    'Total time duration the container has been throttled.',
    () => container.cfsThrottledSeconds,
  );
}

function addContainer(page: PageBuilder, pod: PodRuntime, object: Pod, labels: Labels, now: () => number): void {
  const { container } = pod;
  const limits = object.spec.containers[0]?.resources.limits ?? {};
  const gauge = (name: string, help: string, read: () => number) => page.gauge(`container_${name}`, help, labels, read);
  const memoryLimit = limits.memory === undefined ? 0 : parseQuantity(limits.memory);
  gauge('memory_rss', 'Size of RSS in bytes.', () => Math.round(container.workingSetBytes * 0.88));
  gauge('memory_cache', 'Number of bytes of page cache memory.', () => Math.round(container.workingSetBytes * 0.2));
  gauge(
    'memory_usage_bytes',
    'Current memory usage in bytes, including all memory regardless of when it was accessed',
    () => Math.round(container.workingSetBytes * 1.08),
  );
  page.counter('container_memory_failcnt', 'Number of memory usage hits limits', labels, () => 0);
  gauge('spec_memory_limit_bytes', 'Memory limit for the container.', () => memoryLimit);
  gauge('spec_cpu_period', 'CPU period of the container.', () => 100_000);
  if (container.limitCores !== undefined) {
    const quota = container.limitCores * 100_000;
    gauge('spec_cpu_quota', 'CPU quota of the container.', () => quota);
  }
  gauge('start_time_seconds', 'Start time of the container since unix epoch in seconds.', () => pod.startedMs / 1000);
  gauge('last_seen', 'Last time a container was seen by the exporter', () => Math.floor(now() / 1000));
  const device = { ...labels, device: '/dev/nvme0n1p2' };
  page.counter('container_fs_writes_bytes_total', 'Cumulative count of bytes written', device, () =>
    Math.round(container.writtenBytes),
  );
  page.counter('container_fs_reads_bytes_total', 'Cumulative count of bytes read', device, () =>
    Math.round(container.readBytes),
  );
}

function addNetwork(page: PageBuilder, pod: PodRuntime, labels: Labels): void {
  const { container } = pod;
  const counter = (name: string, help: string, read: () => number) =>
    page.counter(`container_network_${name}_total`, help, labels, () => Math.round(read()));
  counter('receive_bytes', 'Cumulative count of bytes received', () => container.receivedBytes);
  counter('transmit_bytes', 'Cumulative count of bytes transmitted', () => container.sentBytes);
  counter('receive_packets_dropped', 'Cumulative count of packets dropped while receiving', () => 0);
  counter('transmit_packets_dropped', 'Cumulative count of packets dropped while transmitting', () => 0);
  counter('receive_errors', 'Cumulative count of errors encountered while receiving', () => 0);
  counter('transmit_errors', 'Cumulative count of errors encountered while transmitting', () => 0);
}
