import type { Node } from '../kubernetes/object-types.ts';
import { parseQuantity } from '../kubernetes/quantity.ts';
import { addCondition, labelLabels, type StatePage, unixSeconds } from './kube-state-page.ts';

/** The series kube-state-metrics shows for a node. */
export function addNode(page: StatePage, object: Node): void {
  const { metadata, spec, status } = object;
  const labels = { node: metadata.name };
  const { nodeInfo } = status;
  page.gauge('kube_node_created', '[STABLE] Unix creation timestamp', labels, unixSeconds(metadata.creationTimestamp));
  page.gauge(
    'kube_node_info',
    '[STABLE] Information about a cluster node.',
    {
      ...labels,
      kernel_version: nodeInfo.kernelVersion ?? '',
      os_image: nodeInfo.osImage ?? '',
      container_runtime_version: nodeInfo.containerRuntimeVersion ?? '',
      kubelet_version: nodeInfo.kubeletVersion ?? '',
      kubeproxy_version: 'deprecated',
      provider_id: spec.providerID,
      pod_cidr: spec.podCIDR,
      system_uuid: nodeInfo.systemUUID ?? '',
      internal_ip: status.addresses[0]?.address ?? '',
    },
    1,
  );
  const labelsHelp = '[STABLE] Kubernetes labels converted to Prometheus labels.';
  page.gauge('kube_node_labels', labelsHelp, { ...labels, ...labelLabels(metadata.labels) }, 1);
  for (const taint of spec.taints ?? []) {
    const shown = { ...labels, key: taint.key, value: taint.value ?? '', effect: taint.effect };
    page.gauge('kube_node_spec_taint', '[STABLE] The taint of a cluster node.', shown, 1);
  }
  const unschedulable = spec.unschedulable ? 1 : 0;
  page.gauge('kube_node_spec_unschedulable', '[STABLE] Whether a node can schedule new pods.', labels, unschedulable);
  addResources(page, 'allocatable', labels, status.allocatable);
  addResources(page, 'capacity', labels, status.capacity);
  for (const condition of status.conditions) {
    addCondition(page, 'kube_node_status_condition', '[STABLE] The condition of a cluster node.', labels, condition);
  }
  for (const { type, address } of status.addresses) {
    page.gauge('kube_node_status_addresses', 'Node address information.', { ...labels, type, address }, 1);
  }
}

function addResources(
  page: StatePage,
  which: string,
  labels: { node: string },
  resources: Record<string, string>,
): void {
  for (const [name, quantity] of Object.entries(resources)) {
    const help = `[STABLE] The ${which} for different resources of a node.`;
    const shown = { ...labels, resource: resourceLabel(name), unit: resourceUnit(name) };
    page.gauge(`kube_node_status_${which}`, help, shown, parseQuantity(quantity));
  }
}

/** `nvidia.com/gpu` becomes `nvidia_com_gpu`. */
export function resourceLabel(name: string): string {
  return name.replace(/[^a-zA-Z0-9_]/g, '_');
}

export function resourceUnit(name: string): string {
  if (name === 'cpu') return 'core';
  return name === 'memory' || name === 'ephemeral-storage' ? 'byte' : 'integer';
}
