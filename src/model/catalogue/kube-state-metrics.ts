import type { Entity } from '../estate/index.ts';
import { named, namespaced } from './identity.ts';
import { by, type Recipe, type RecipeContext, selector } from './recipe.ts';
import type { SourceSystem, SourceTable } from './source.ts';

/** kube-state-metrics 2.x. Its object labels arrive as `exported_*` where the scrape does not honour them. */
export const kubeStateMetrics: SourceSystem = {
  name: 'kube-state-metrics',
  howTo: 'Run kube-state-metrics and scrape its port 8080 with honor_labels.',
  tables: [
    {
      home: 'pod',
      identities: [namespaced('pod', 'namespace', 'pod'), namespaced('pod', 'exported_namespace', 'exported_pod')],
      signals: {
        'container.restarts': { kind: 'gauge', names: ['kube_pod_container_status_restarts_total'] },
        'container.ready': { kind: 'gauge', names: ['kube_pod_container_status_ready'] },
        'container.oom': zeroUnless(
          'kube_pod_container_status_last_terminated_reason',
          'reason="OOMKilled"',
          'kube_pod_container_status_ready',
        ),
        'container.image_pull_failing': zeroUnless(
          'kube_pod_container_status_waiting_reason',
          'reason=~"ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull"',
          'kube_pod_container_status_ready',
        ),
        'container.crash_looping': zeroUnless(
          'kube_pod_container_status_waiting_reason',
          'reason="CrashLoopBackOff"',
          'kube_pod_container_status_ready',
        ),
        'pod.phase': { kind: 'gauge', names: ['kube_pod_status_phase'], where: 'phase="Running"' },
        'pod.unschedulable': zeroUnless('kube_pod_status_scheduled', 'condition="false"', 'kube_pod_info'),
        'pod.scheduled_latency': { kind: 'custom', expression: scheduledLatency },
      },
    },
    {
      home: 'node',
      identities: [named('node'), named('exported_node')],
      signals: {
        'node.ready': condition('Ready'),
        'node.condition.memory': condition('MemoryPressure'),
        'node.condition.disk': condition('DiskPressure'),
        'node.unschedulable': { kind: 'gauge', names: ['kube_node_spec_unschedulable'] },
      },
    },
    workloads('Deployment', 'deployment', {
      'workload.desired': 'kube_deployment_spec_replicas',
      'workload.ready': 'kube_deployment_status_replicas_ready',
      'workload.unavailable': 'kube_deployment_status_replicas_unavailable',
    }),
    workloads('StatefulSet', 'statefulset', {
      'workload.desired': 'kube_statefulset_replicas',
      'workload.ready': 'kube_statefulset_status_replicas_ready',
    }),
    workloads('DaemonSet', 'daemonset', {
      'workload.desired': 'kube_daemonset_status_desired_number_scheduled',
      'workload.ready': 'kube_daemonset_status_number_ready',
      'workload.unavailable': 'kube_daemonset_status_number_unavailable',
    }),
    {
      home: 'workload',
      identities: [namespaced('workload', 'namespace', 'scaletargetref_name')],
      signals: {
        'workload.hpa.desired': { kind: 'custom', expression: autoscaler('status_desired_replicas') },
        'workload.hpa.max': { kind: 'custom', expression: autoscaler('spec_max_replicas') },
      },
    },
  ],
};

function workloads(kind: string, label: string, names: Record<string, string>): SourceTable {
  return {
    home: 'workload',
    appliesTo: (entity: Entity) => entity.facts.workloadKind === kind,
    identities: [
      namespaced('workload', 'namespace', label),
      namespaced('workload', 'exported_namespace', `exported_${label}`),
    ],
    signals: Object.fromEntries(
      Object.entries(names).map(([signal, name]): [string, Recipe] => [signal, { kind: 'gauge', names: [name] }]),
    ),
  };
}

/** Newer releases emit a reason only while it holds, older ones always with 0 or 1: both come out as 0 or 1. */
function zeroUnless(name: string, where: string, always: string): Recipe {
  return {
    kind: 'custom',
    expression: ({ matchers, grain }) =>
      `max${by(grain)} (${selector(name, matchers, where)}) or 0 * max${by(grain)} (${selector(always, matchers)})`,
  };
}

function condition(name: string): Recipe {
  return { kind: 'gauge', names: ['kube_node_status_condition'], where: `condition="${name}",status="true"` };
}

function scheduledLatency({ matchers, grain }: RecipeContext): string {
  return `max${by(grain)} (${selector('kube_pod_status_scheduled_time', matchers)}) - max${by(grain)} (${selector('kube_pod_created', matchers)})`;
}

/** The autoscaler's name may differ from its target's, so its series are joined with what it scales. */
function autoscaler(field: string): (query: RecipeContext) => string {
  return ({ matchers }) => {
    const target = `max by (namespace, horizontalpodautoscaler, scaletargetref_name) (${selector('kube_horizontalpodautoscaler_info', matchers)})`;
    const value = `max by (namespace, horizontalpodautoscaler) (kube_horizontalpodautoscaler_${field}{${namespaceOnly(matchers)}})`;
    return `${target} * on (namespace, horizontalpodautoscaler) group_left () ${value}`;
  };
}

function namespaceOnly(matchers: string): string {
  return matchers.replace(/,?scaletargetref_name=~?"(?:[^"\\]|\\.)*"/, '');
}
