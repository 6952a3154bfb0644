import type { Health } from '../../model/index.ts';
import { healthOf, type Remark } from './health.ts';
import type { Condition, KubernetesObject, Node } from './kubernetes-object.ts';
import { gpuCount } from './quantity.ts';
import { colon, counted, lasting, listed } from './words.ts';

export type NodeObject = KubernetesObject & { kind: 'Node'; body: Node };

/** Taints that say what a node is for, or that repeat what a condition already said. */
const EXPECTED_TAINT =
  /^(nvidia\.com\/|amd\.com\/|node-role\.kubernetes\.io\/|node\.kubernetes\.io\/(unschedulable|not-ready|unreachable|memory-pressure|disk-pressure|pid-pressure|network-unavailable))/;
const LEAVING_TAINT =
  /^(ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler|karpenter\.sh\/disrupt(ed|ion)|node\.kubernetes\.io\/out-of-service)/;
/** Conditions of node-problem-detector and the like, where `True` is bad. */
const PROBLEM_CONDITION = /(Deadlock|Readonly|ReadOnly|Corrupt|Frequent|Unhealthy|Problem|Failure|Error|OOM)/;

/** What a careful reader of `kubectl describe node` would say at `nowMs`. */
export function nodeHealth(node: NodeObject, nowMs: number): Health {
  const conditions = node.body.status?.conditions ?? [];
  if (conditions.length === 0) return { status: 'unknown', reasons: ['the node has not reported yet'] };
  return healthOf([
    ...conditions.flatMap((condition) => conditionRemarks(condition, nowMs)),
    ...schedulingRemarks(node),
    ...gpuRemarks(node),
  ]);
}

function conditionRemarks({ type, status, reason, message, lastTransitionTime }: Condition, nowMs: number): Remark[] {
  const since = lastTransitionTime === undefined ? '' : ` for ${lasting(nowMs - lastTransitionTime)}`;
  if (type === 'Ready') {
    if (status === 'True') return [];
    if (status === 'Unknown')
      return [{ status: 'failing', reason: `its kubelet stopped reporting${since}${colon(message)}` }];
    return [{ status: 'failing', reason: `not ready${since}${colon(message || reason)}` }];
  }
  if (status !== 'True') return [];
  if (type === 'NetworkUnavailable')
    return [{ status: 'failing', reason: `its network is not set up${since}${colon(message)}` }];
  const pressure = PRESSURES[type];
  if (pressure) return [{ status: 'degraded', reason: `${pressure}${since}${colon(message)}` }];
  return PROBLEM_CONDITION.test(type)
    ? [{ status: 'degraded', reason: `${type}${since}${colon(message || reason)}` }]
    : [];
}

const PRESSURES: Readonly<Record<string, string>> = {
  MemoryPressure: 'short of memory, pods may be evicted',
  DiskPressure: 'short of disk space, pods may be evicted',
  PIDPressure: 'short of process ids',
};

function schedulingRemarks(node: NodeObject): Remark[] {
  const spec = node.body.spec;
  const taints = spec?.taints ?? [];
  const remarks: Remark[] = [];
  if (taints.some((taint) => LEAVING_TAINT.test(taint.key)))
    remarks.push({ status: 'degraded', reason: 'about to be removed by an autoscaler or after a failure' });
  else if (spec?.unschedulable)
    remarks.push({ status: 'degraded', reason: 'cordoned: new pods are not scheduled here' });
  const evicting = taints.filter(
    (taint) => taint.effect === 'NoExecute' && !EXPECTED_TAINT.test(taint.key) && !LEAVING_TAINT.test(taint.key),
  );
  if (evicting.length > 0)
    remarks.push({
      status: 'degraded',
      reason: `evicts pods that do not tolerate ${listed(evicting.map((taint) => taint.key))}`,
    });
  return remarks;
}

function gpuRemarks(node: NodeObject): Remark[] {
  const capacity = gpuCount(node.body.status?.capacity);
  const allocatable = gpuCount(node.body.status?.allocatable);
  if (allocatable >= capacity) return [];
  return [
    {
      status: 'degraded',
      reason: `${counted(capacity - allocatable, 'GPU')} of ${capacity} not allocatable: the device plugin reports it unhealthy`,
    },
  ];
}
