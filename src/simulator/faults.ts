import { formatRef } from '../model/index.ts';
import type { Cluster } from './cluster.ts';
import type { Gpu } from './hardware/gpu.ts';

export const FAULTS = ['gpu-thermal-throttle'] as const;
export type FaultId = (typeof FAULTS)[number];

export function isFault(value: unknown): value is FaultId {
  return FAULTS.some((fault) => fault === value);
}

/** What to break. Left out, the target is a card under the second replica of the first model. */
export interface FaultOrder {
  fault: FaultId;
  cluster?: string;
  /** UUID of the card. */
  gpu?: string;
}

/** What is really wrong: the answer a diagnosis is measured by. */
export interface GroundTruth {
  fault: FaultId;
  mechanism: 'gpu-thermal-throttle';
  layer: 'infrastructure';
  /** Reference of the entity that must be named. */
  entity: string;
  /** Other true names for it. */
  aliases: string[];
  workload: string;
  pod: string;
  node: string;
  sinceMs: number;
}

/** A fault that found its target and is not there yet. */
export interface PlannedFault {
  truth: GroundTruth;
  /** Breaks the target and returns how to heal it. */
  start(): () => void;
}

/** Share of the normal heat flow that is left when the airflow of a card is blocked. */
const BLOCKED_AIRFLOW = 0.16;

/** Finds the target, as of now. Throws an Error naming the valid targets when the order names none. */
export function planFault(clusters: readonly Cluster[], order: FaultOrder, nowMs: number): PlannedFault {
  const { cluster, gpu } = findCard(clusters, order);
  const owner = cluster.ownerOf.get(gpu);
  const machine = cluster.machines.find((candidate) => candidate.gpus.includes(gpu));
  const name = cluster.plan.name;
  return {
    start: () => coolCard(gpu, BLOCKED_AIRFLOW),
    truth: {
      fault: order.fault,
      mechanism: 'gpu-thermal-throttle',
      layer: 'infrastructure',
      entity: formatRef('gpu', name, '', gpu.plan.uuid),
      aliases: [formatRef('gpu', name, '', `${machine?.plan.name}/${gpu.plan.index}`)],
      workload: owner ? formatRef('workload', name, owner.source.namespace, owner.source.workload) : '',
      pod: owner ? formatRef('pod', name, owner.source.namespace, owner.source.pod) : '',
      node: formatRef('node', name, '', machine?.plan.name ?? ''),
      sinceMs: nowMs,
    },
  };
}

/** Primitive: a card's cooling carries away only this share of the heat. Returns how to undo it. */
function coolCard(gpu: Gpu, share: number): () => void {
  const before = gpu.cooling;
  gpu.cooling = share;
  return () => {
    gpu.cooling = before;
  };
}

function findCard(clusters: readonly Cluster[], order: FaultOrder): { cluster: Cluster; gpu: Gpu } {
  const cluster = order.cluster === undefined ? clusters[0] : clusters.find((c) => c.plan.name === order.cluster);
  if (!cluster)
    throw new Error(`no cluster ${order.cluster}; there are ${clusters.map((c) => c.plan.name).join(', ')}`);
  const cards = cluster.machines.flatMap((machine) => machine.gpus);
  const usual = [...cluster.replicas.values()][0]?.[1]?.engine.gpus[0];
  const gpu = order.gpu === undefined ? usual : cards.find((card) => card.plan.uuid === order.gpu);
  if (!gpu)
    throw new Error(
      `no GPU ${order.gpu} in ${cluster.plan.name}; there are ${cards.map((c) => c.plan.uuid).join(', ')}`,
    );
  return { cluster, gpu };
}
