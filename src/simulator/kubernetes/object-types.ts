/** The part of Kubernetes' object model that the simulated clusters fill in; names and nesting are the API's own. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  generateName?: string;
  creationTimestamp: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller: boolean;
  blockOwnerDeletion: boolean;
}

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime: string;
  lastHeartbeatTime?: string;
  lastUpdateTime?: string;
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface ContainerSpec {
  name: string;
  image: string;
  args?: string[];
  env?: { name: string; value: string }[];
  ports?: { name: string; containerPort: number; protocol: 'TCP' }[];
  resources: { requests?: Record<string, string>; limits?: Record<string, string> };
  readinessProbe?: object;
}

export interface PodSpec {
  nodeName?: string;
  containers: ContainerSpec[];
  serviceAccountName: string;
  restartPolicy: 'Always';
  schedulerName?: string;
  nodeSelector?: Record<string, string>;
  tolerations?: object[];
  hostNetwork?: boolean;
  priorityClassName?: string;
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  state: { running: { startedAt: string } };
  lastState: object;
}

export interface Pod extends KubeObject {
  kind: 'Pod';
  spec: PodSpec;
  status: {
    phase: 'Running';
    conditions: Condition[];
    containerStatuses: ContainerStatus[];
    hostIP: string;
    podIP: string;
    podIPs: { ip: string }[];
    startTime: string;
    qosClass: 'Guaranteed' | 'Burstable' | 'BestEffort';
  };
}

export interface Node extends KubeObject {
  kind: 'Node';
  spec: {
    podCIDR: string;
    providerID: string;
    unschedulable?: boolean;
    taints?: { key: string; value?: string; effect: string }[];
  };
  status: {
    capacity: Record<string, string>;
    allocatable: Record<string, string>;
    conditions: Condition[];
    addresses: { type: string; address: string }[];
    nodeInfo: Record<string, string>;
  };
}

export interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: PodSpec;
}

export interface Workload extends KubeObject {
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'ReplicaSet';
  spec: {
    replicas?: number;
    selector: { matchLabels: Record<string, string> };
    template: PodTemplate;
    serviceName?: string;
    strategy?: object;
    updateStrategy?: object;
  };
  status: Record<string, number | string | Condition[]>;
}

export interface Service extends KubeObject {
  kind: 'Service';
  spec: {
    type: 'ClusterIP';
    clusterIP: string;
    selector: Record<string, string>;
    ports: { name: string; port: number; targetPort: number; protocol: 'TCP' }[];
  };
  status: { loadBalancer: object };
}

export interface Namespace extends KubeObject {
  kind: 'Namespace';
  spec: { finalizers: string[] };
  status: { phase: 'Active' };
}

export interface KubeEvent extends KubeObject {
  kind: 'Event';
  involvedObject: {
    apiVersion: string;
    kind: string;
    namespace?: string;
    name: string;
    uid: string;
    fieldPath?: string;
  };
  reason: string;
  message: string;
  type: 'Normal' | 'Warning';
  source: { component: string; host?: string };
  reportingComponent: string;
  reportingInstance: string;
  firstTimestamp: string;
  lastTimestamp: string;
  count: number;
}

export type AnyObject = Pod | Node | Workload | Service | Namespace | KubeEvent;
