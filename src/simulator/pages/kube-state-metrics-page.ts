import type { ObjectStore } from '../kubernetes/object-store.ts';
import type { Namespace, Service, Workload } from '../kubernetes/object-types.ts';
import { addNode } from './kube-state-nodes.ts';
import { addCondition, addOwner, labelLabels, type StatePage, unixSeconds, withConstants } from './kube-state-page.ts';
import { addPod } from './kube-state-pods.ts';
import { createPage, type Labels, type Page } from './page.ts';

/** `/metrics` of kube-state-metrics: the objects of the cluster as series, read from the same store as the API. */
export function kubeStateMetricsPage(store: ObjectStore): Page {
  return createPage(
    (builder) => {
      const page = withConstants(builder);
      for (const resource of ['daemonsets', 'deployments', 'replicasets', 'statefulsets'] as const) {
        for (const object of store.list(resource)) addWorkload(page, object);
      }
      for (const object of store.list('namespaces')) addNamespace(page, object);
      for (const object of store.list('nodes')) addNode(page, object);
      for (const object of store.list('pods')) addPod(page, object);
      for (const object of store.list('services')) addService(page, object);
    },
    () => store.resourceVersion,
  );
}

/** Status fields by kind, and how kube-state-metrics calls them. */
const STATUS_FIELDS: Record<Workload['kind'], Record<string, string>> = {
  Deployment: {
    replicas: 'replicas',
    readyReplicas: 'replicas_ready',
    availableReplicas: 'replicas_available',
    updatedReplicas: 'replicas_updated',
    observedGeneration: 'observed_generation',
  },
  StatefulSet: {
    replicas: 'replicas',
    availableReplicas: 'replicas_available',
    currentReplicas: 'replicas_current',
    readyReplicas: 'replicas_ready',
    updatedReplicas: 'replicas_updated',
    observedGeneration: 'observed_generation',
  },
  ReplicaSet: {
    replicas: 'replicas',
    fullyLabeledReplicas: 'fully_labeled_replicas',
    readyReplicas: 'ready_replicas',
    observedGeneration: 'observed_generation',
  },
  DaemonSet: {
    currentNumberScheduled: 'current_number_scheduled',
    desiredNumberScheduled: 'desired_number_scheduled',
    numberAvailable: 'number_available',
    numberMisscheduled: 'number_misscheduled',
    numberReady: 'number_ready',
    numberUnavailable: 'number_unavailable',
    updatedNumberScheduled: 'updated_number_scheduled',
    observedGeneration: 'observed_generation',
  },
};

function addWorkload(page: StatePage, object: Workload): void {
  const { metadata, spec, status, kind } = object;
  const singular = kind.toLowerCase();
  const labels = { namespace: metadata.namespace ?? '', [singular]: metadata.name };
  const prefix = `kube_${singular}`;
  page.gauge(`${prefix}_created`, '[STABLE] Unix creation timestamp', labels, unixSeconds(metadata.creationTimestamp));
  for (const [field, name] of Object.entries(STATUS_FIELDS[kind])) {
    const value = status[field];
    if (typeof value === 'number')
      page.gauge(`${prefix}_status_${name}`, `[STABLE] ${field} of the status.`, labels, value);
  }
  page.gauge(
    `${prefix}_metadata_generation`,
    '[STABLE] Sequence number representing a specific generation of the desired state.',
    labels,
    metadata.generation ?? 1,
  );
  if (kind !== 'DaemonSet') {
    const name = kind === 'StatefulSet' ? `${prefix}_replicas` : `${prefix}_spec_replicas`;
    page.gauge(name, '[STABLE] Number of desired pods.', labels, spec.replicas ?? 1);
  }
  if (kind !== 'ReplicaSet') {
    const all = { ...labels, ...labelLabels(metadata.labels) };
    page.gauge(`${prefix}_labels`, '[STABLE] Kubernetes labels converted to Prometheus labels.', all, 1);
  }
  if (kind === 'ReplicaSet')
    addOwner(page, `${prefix}_owner`, "[STABLE] Information about the ReplicaSet's owner.", labels, metadata);
  if (kind === 'Deployment') addDeployment(page, object, labels);
  if (kind === 'StatefulSet') addRevisions(page, object, labels);
}

function addDeployment(page: StatePage, object: Workload, labels: Labels): void {
  const { status, spec } = object;
  const unavailable = (spec.replicas ?? 1) - Number(status.availableReplicas ?? 0);
  page.gauge(
    'kube_deployment_status_replicas_unavailable',
    '[STABLE] The number of unavailable replicas per deployment.',
    labels,
    unavailable,
  );
  page.gauge(
    'kube_deployment_spec_paused',
    '[STABLE] Whether the deployment is paused and will not be processed by the deployment controller.',
    labels,
    0,
  );
  const { conditions } = status;
  for (const condition of Array.isArray(conditions) ? conditions : []) {
    addCondition(
      page,
      'kube_deployment_status_condition',
      '[STABLE] The current status conditions of a deployment.',
      labels,
      condition,
    );
  }
}

function addRevisions(page: StatePage, object: Workload, labels: Labels): void {
  for (const which of ['current', 'update']) {
    const revision = String(object.status[`${which}Revision`]);
    page.gauge(
      `kube_statefulset_status_${which}_revision`,
      `[STABLE] Indicates the version of the StatefulSet used to generate Pods: ${which}.`,
      { ...labels, revision },
      1,
    );
  }
}

function addNamespace(page: StatePage, object: Namespace): void {
  const labels = { namespace: object.metadata.name };
  page.gauge(
    'kube_namespace_created',
    '[STABLE] Unix creation timestamp',
    labels,
    unixSeconds(object.metadata.creationTimestamp),
  );
  page.gauge(
    'kube_namespace_labels',
    '[STABLE] Kubernetes labels converted to Prometheus labels.',
    { ...labels, ...labelLabels(object.metadata.labels) },
    1,
  );
  for (const phase of ['Active', 'Terminating']) {
    page.gauge(
      'kube_namespace_status_phase',
      '[STABLE] kubernetes namespace status phase.',
      { ...labels, phase },
      phase === 'Active' ? 1 : 0,
    );
  }
}

function addService(page: StatePage, object: Service): void {
  const { metadata, spec } = object;
  const labels = { namespace: metadata.namespace ?? '', service: metadata.name, uid: metadata.uid };
  page.gauge(
    'kube_service_info',
    '[STABLE] Information about service.',
    { ...labels, cluster_ip: spec.clusterIP, external_name: '', load_balancer_ip: '', external_traffic_policy: '' },
    1,
  );
  page.gauge(
    'kube_service_created',
    '[STABLE] Unix creation timestamp',
    labels,
    unixSeconds(metadata.creationTimestamp),
  );
  page.gauge('kube_service_spec_type', '[STABLE] Type about service.', { ...labels, type: spec.type }, 1);
}
