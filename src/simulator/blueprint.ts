import { llama70b, type ModelProfile, qwen14b } from './serving/model-profile.ts';

/** What an estate consists of before anything runs. Names are what users see. */
export interface ClusterPlan {
  name: string;
  /** Second number of its pod addresses, so that no address exists twice. */
  network: number;
  nodes: NodePlan[];
  workloads: WorkloadPlan[];
  models: { workload: string; profile: ModelProfile }[];
  traffic: TrafficPlan[];
  /** A Deployment with numbered images that goes over to the next one now and then. */
  releasing?: string;
  inletC: number;
}

export interface NodePlan {
  name: string;
  cores: number;
  memoryBytes: number;
  gpus: number;
}

export interface WorkloadPlan {
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  namespace: string;
  name: string;
  /** One pod on each of these nodes; a node may be named twice. */
  nodes: string[];
  container: ContainerPlan;
}

export interface ContainerPlan {
  name: string;
  image: string;
  port: number;
  args?: string[];
  cpuRequest: number;
  cpuLimit?: number;
  memoryRequest: number;
  memoryLimit: number;
  gpus?: number;
  /** Cores used without any request. */
  idleCores: number;
  /** Resident memory without any request. */
  restingMemory: number;
}

export type RouteName = 'chat' | 'rag';

export interface TrafficPlan {
  route: RouteName;
  /** The model's workload. */
  model: string;
  requestsPerSecond: number;
}

const GiB = 2 ** 30;
const MiB = 2 ** 20;

/** Two clusters alike in shape, the second with less traffic: about 40 pods, 16 GPUs, four model services. */
export function defaultEstate(): ClusterPlan[] {
  return [{ ...clusterPlan('prod-eu', 1, 1, 27), releasing: 'rag-api' }, clusterPlan('prod-us', 2, 0.75, 25)];
}

/** The workload in its nth revision: each counts the image's number up by one. */
export function revisionOf(workload: WorkloadPlan, revision: number): WorkloadPlan {
  const image = workload.container.image.replace(/(?<=:v)\d+$/, (first) => String(Number(first) + revision - 1));
  return { ...workload, container: { ...workload.container, image } };
}

function clusterPlan(name: string, network: number, load: number, inletC: number): ClusterPlan {
  return {
    name,
    network,
    inletC,
    nodes: [
      { name: 'gpu-1', cores: 16, memoryBytes: 512 * GiB, gpus: 4 },
      { name: 'gpu-2', cores: 16, memoryBytes: 512 * GiB, gpus: 4 },
      { name: 'cpu-1', cores: 8, memoryBytes: 64 * GiB, gpus: 0 },
      { name: 'cpu-2', cores: 8, memoryBytes: 64 * GiB, gpus: 0 },
    ],
    workloads: workloads(),
    models: [
      { workload: 'llama-3-70b', profile: llama70b },
      { workload: 'qwen-14b', profile: qwen14b },
    ],
    traffic: [
      { route: 'chat', model: 'llama-3-70b', requestsPerSecond: 7.5 * load },
      { route: 'chat', model: 'qwen-14b', requestsPerSecond: 5.5 * load },
      { route: 'rag', model: 'llama-3-70b', requestsPerSecond: 0.9 * load },
      { route: 'rag', model: 'qwen-14b', requestsPerSecond: 0.6 * load },
    ],
  };
}

function workloads(): WorkloadPlan[] {
  return [
    {
      kind: 'StatefulSet',
      namespace: 'inference',
      name: 'llama-3-70b',
      nodes: ['gpu-1', 'gpu-1', 'gpu-2'],
      container: vllm(llama70b, 6, 160 * GiB, 41 * GiB),
    },
    {
      kind: 'Deployment',
      namespace: 'inference',
      name: 'qwen-14b',
      nodes: ['gpu-2', 'gpu-2'],
      container: vllm(qwen14b, 4, 64 * GiB, 17 * GiB),
    },
    service('inference', 'gateway', ['cpu-1', 'cpu-2'], 'ghcr.io/acme/llm-gateway:1.14.2', 8080, 2, 512 * MiB),
    service('inference', 'rag-api', ['cpu-1', 'cpu-2'], 'ghcr.io/acme/rag-api:v41', 8080, 2, 1 * GiB),
    service('inference', 'embedding', ['cpu-2', 'cpu-1'], 'ghcr.io/acme/embedding:0.9.4', 8080, 4, 4 * GiB),
    {
      ...service('data', 'qdrant', ['cpu-1'], 'qdrant/qdrant:v1.15.4', 6333, 4, 16 * GiB),
      kind: 'StatefulSet',
    },
    daemon('dcgm-exporter', 'dcgm-exporter', ['gpu-1', 'gpu-2'], 'nvcr.io/nvidia/k8s/dcgm-exporter:4.4.1-4.6.0-ubuntu22.04', 9400),
    daemon('node-exporter', 'node-exporter', ['gpu-1', 'gpu-2', 'cpu-1', 'cpu-2'], 'quay.io/prometheus/node-exporter:v1.9.1', 9100),
    {
      ...service('monitoring', 'kube-state-metrics', ['cpu-2'], 'registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.17.0', 8080, 0.2, 256 * MiB),
    },
    { ...daemon('nvidia-device-plugin', 'nvidia-device-plugin', ['gpu-1', 'gpu-2'], 'nvcr.io/nvidia/k8s-device-plugin:v0.17.4', 9401), namespace: 'kube-system' },
    service('kube-system', 'coredns', ['cpu-1', 'cpu-2'], 'registry.k8s.io/coredns/coredns:v1.12.1', 9153, 0.5, 170 * MiB),
  ]; // biome-ignore format: one workload a line reads as a list
}

function vllm(model: ModelProfile, cores: number, memoryLimit: number, resting: number): ContainerPlan {
  return {
    name: 'vllm',
    image: 'vllm/vllm-openai:v0.11.0',
    port: 8000,
    args: [
      `--model=${model.repository}`,
      `--served-model-name=${model.name}`,
      `--tensor-parallel-size=${model.tensorParallel}`,
      `--max-model-len=${model.maxModelLen}`,
      `--max-num-seqs=${model.maxNumSeqs}`,
      `--max-num-batched-tokens=${model.maxBatchedTokens}`,
      `--gpu-memory-utilization=${model.gpuMemoryUtilization}`,
      '--disable-uvicorn-access-log',
      '--otlp-traces-endpoint=http://otel-collector.monitoring:4317',
    ],
    cpuRequest: cores,
    cpuLimit: cores * 2,
    memoryRequest: memoryLimit / 2,
    memoryLimit,
    gpus: model.tensorParallel,
    // The engine core and each worker poll shared memory and keep a core busy while anything runs.
    idleCores: 0.05,
    restingMemory: resting,
  };
}

function service(
  namespace: string,
  name: string,
  nodes: string[],
  image: string,
  port: number,
  cores: number,
  memory: number,
): WorkloadPlan {
  return {
    kind: 'Deployment',
    namespace,
    name,
    nodes,
    container: {
      name, image, port,
      cpuRequest: cores / 2, cpuLimit: cores, memoryRequest: memory / 2, memoryLimit: memory,
      idleCores: 0.01, restingMemory: memory * 0.35,
    },
  }; // biome-ignore format: short
}

function daemon(name: string, container: string, nodes: string[], image: string, port: number): WorkloadPlan {
  const plan = service('monitoring', name, nodes, image, port, 0.5, 512 * MiB);
  return { ...plan, kind: 'DaemonSet', container: { ...plan.container, name: container } };
}
