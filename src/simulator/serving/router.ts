import type { PodRuntime } from '../pod-runtime.ts';
import type { Engine } from './engine.ts';

/** A replica of a model: the pod and the engine in it. */
export interface Replica {
  pod: PodRuntime;
  engine: Engine;
}

/** Calls that wait at a replica before a conversation is sent elsewhere. */
const SPILL_QUEUE = 10;

/**
 * A prefix-affine router: a conversation goes to its own replica (rendezvous hashing), unless `SPILL_QUEUE` calls wait
 * there; then to the next in the conversation's order, and when calls wait everywhere to the shortest queue. So a slow
 * replica keeps its share until it has no slot left, and its queue stays at the bound however long that lasts.
 */
export function chooseReplica(replicas: readonly Replica[], conversation: string): Replica {
  let best: Replica | undefined;
  let bestExcess = 0;
  let bestRank = 0;
  for (const [i, replica] of replicas.entries()) {
    const excess = Math.max(0, replica.engine.queued - SPILL_QUEUE + 1);
    const rank = affinity(conversation, i);
    if (best && (excess > bestExcess || (excess === bestExcess && rank < bestRank))) continue;
    best = replica;
    bestExcess = excess;
    bestRank = rank;
  }
  if (!best) throw new Error('a model without replicas');
  return best;
}

function affinity(conversation: string, replica: number): number {
  let value = 0x811c9dc5 ^ Math.imul(replica + 1, 0x9e3779b1);
  for (let i = 0; i < conversation.length; i++) value = Math.imul(value ^ conversation.charCodeAt(i), 0x01000193);
  value ^= value >>> 15;
  value = Math.imul(value, 0x2c1b3c6d);
  return (value ^ (value >>> 12)) >>> 0;
}
