import type { ContainerSpec, ContainerStatus, Pod } from '../kubernetes/object-types.ts';
import { parseQuantity } from '../kubernetes/quantity.ts';
import { resourceLabel, resourceUnit } from './kube-state-nodes.ts';
import { addOwner, labelLabels, type StatePage, unixSeconds } from './kube-state-page.ts';
import type { Labels } from './page.ts';

const PHASES = ['Pending', 'Succeeded', 'Failed', 'Unknown', 'Running'];
const QOS_CLASSES = ['BestEffort', 'Burstable', 'Guaranteed'];

/** The series kube-state-metrics shows for a pod. */
export function addPod(page: StatePage, object: Pod): void {
  const { metadata, spec, status } = object;
  const labels = { namespace: metadata.namespace ?? '', pod: metadata.name, uid: metadata.uid };
  for (const [i, container] of spec.containers.entries()) {
    addResources(page, labels, spec.nodeName ?? '', container);
    const state = status.containerStatuses[i];
    if (state) addContainer(page, labels, state);
  }
  page.gauge('kube_pod_created', '[STABLE] Unix creation timestamp', labels, unixSeconds(metadata.creationTimestamp));
  page.gauge('kube_pod_info', '[STABLE] Information about pod.', { ...labels, ...podInfo(object) }, 1);
  page.gauge('kube_pod_ips', 'Pod IP addresses', { ...labels, ip: status.podIP, ip_family: '4' }, 1);
  const labelsHelp = '[STABLE] Kubernetes labels converted to Prometheus labels.';
  page.gauge('kube_pod_labels', labelsHelp, { ...labels, ...labelLabels(metadata.labels) }, 1);
  addOwner(page, 'kube_pod_owner', "[STABLE] Information about the Pod's owner.", labels, metadata);
  page.gauge(
    'kube_pod_restart_policy',
    '[STABLE] Describes the restart policy in use by this pod.',
    { ...labels, type: spec.restartPolicy },
    1,
  );
  page.gauge(
    'kube_pod_start_time',
    '[STABLE] Start time in unix timestamp for a pod.',
    labels,
    unixSeconds(status.startTime),
  );
  for (const phase of PHASES) {
    page.gauge(
      'kube_pod_status_phase',
      '[STABLE] The pods current phase.',
      { ...labels, phase },
      phase === status.phase ? 1 : 0,
    );
  }
  for (const qos of QOS_CLASSES) {
    page.gauge(
      'kube_pod_status_qos_class',
      'The pods current qosClass.',
      { ...labels, qos_class: qos },
      qos === status.qosClass ? 1 : 0,
    );
  }
  addConditions(page, labels, object);
}

function podInfo({ metadata, spec, status }: Pod): Record<string, string> {
  const owner = metadata.ownerReferences?.[0];
  return {
    host_ip: status.hostIP,
    pod_ip: status.podIP,
    node: spec.nodeName ?? '',
    created_by_kind: owner?.kind ?? '',
    created_by_name: owner?.name ?? '',
    priority_class: spec.priorityClassName ?? '',
    host_network: String(spec.hostNetwork ?? false),
  };
}

/** The series whose values follow from the pod's conditions. */
function addConditions(page: StatePage, labels: Labels, { status }: Pod): void {
  const series = [
    { type: 'Ready', name: 'ready', verb: 'ready to serve requests', time: 'kube_pod_status_ready_time' },
    { type: 'PodScheduled', name: 'scheduled', verb: 'scheduled', time: 'kube_pod_status_scheduled_time' },
  ];
  for (const { type, name, verb, time } of series) {
    const condition = status.conditions.find((candidate) => candidate.type === type);
    const help = `[STABLE] Describes the status of the pod: whether it is ${verb}.`;
    for (const value of ['true', 'false', 'unknown']) {
      const holds = (condition?.status ?? 'Unknown').toLowerCase() === value ? 1 : 0;
      page.gauge(`kube_pod_status_${name}`, help, { ...labels, condition: value }, holds);
    }
    if (condition?.status === 'True') {
      page.gauge(
        time,
        `[STABLE] Unix time when the pod became ${name}.`,
        labels,
        unixSeconds(condition.lastTransitionTime),
      );
    }
  }
}

function addResources(page: StatePage, labels: Labels, node: string, container: ContainerSpec): void {
  for (const which of ['limits', 'requests'] as const) {
    for (const [name, quantity] of Object.entries(container.resources[which] ?? {})) {
      page.gauge(
        `kube_pod_container_resource_${which}`,
        `The number of requested ${which} resource by a container.`,
        { ...labels, container: container.name, node, resource: resourceLabel(name), unit: resourceUnit(name) },
        parseQuantity(quantity),
      );
    }
  }
}

function addContainer(page: StatePage, podLabels: Labels, status: ContainerStatus): void {
  const labels = { ...podLabels, container: status.name };
  page.gauge(
    'kube_pod_container_info',
    '[STABLE] Information about a container in a pod.',
    {
      ...labels,
      image_spec: status.image,
      image: status.image,
      image_id: status.imageID,
      container_id: status.containerID,
    },
    1,
  );
  const started = unixSeconds(status.state.running.startedAt);
  page.gauge(
    'kube_pod_container_state_started',
    '[STABLE] Start time in unix timestamp for a pod container.',
    labels,
    started,
  );
  page.gauge(
    'kube_pod_container_status_ready',
    '[STABLE] Describes whether the containers readiness check succeeded.',
    labels,
    status.ready ? 1 : 0,
  );
  page.counter(
    'kube_pod_container_status_restarts_total',
    '[STABLE] The number of container restarts per container.',
    labels,
    status.restartCount,
  );
  page.gauge(
    'kube_pod_container_status_running',
    '[STABLE] Describes whether the container is currently in running state.',
    labels,
    1,
  );
  page.gauge(
    'kube_pod_container_status_terminated',
    '[STABLE] Describes whether the container is currently in terminated state.',
    labels,
    0,
  );
  page.gauge(
    'kube_pod_container_status_waiting',
    '[STABLE] Describes whether the container is currently in waiting state.',
    labels,
    0,
  );
}
