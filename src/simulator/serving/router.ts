import type { PodRuntime } from '../pod-runtime.ts';
import type { Engine } from './engine.ts';

/** A replica of a model: the pod and the engine in it. */
export interface Replica {
  pod: PodRuntime;
  engine: Engine;
}

/** How far above the mean a replica's outstanding calls may go before a conversation is sent elsewhere. */
const LOAD_BOUND = 1.35;

/**
 * A prefix-affine router: a conversation goes to its own replica (rendezvous hashing), unless that one has more
 * outstanding calls than `LOAD_BOUND` times the mean; then to the next in the conversation's order. So a slow replica
 * fills up to the bound, and only then traffic shifts.
 */
export function chooseReplica(replicas: readonly Replica[], conversation: string): Replica {
  const total = replicas.reduce((sum, replica) => sum + replica.engine.outstanding, 0);
  const bound = 2 + (LOAD_BOUND * (total + 1)) / replicas.length;
  let best: Replica | undefined;
  let bestRank = -1;
  for (const [i, replica] of replicas.entries()) {
    const rank = affinity(conversation, i);
    if (replica.engine.outstanding < bound && rank > bestRank) {
      best = replica;
      bestRank = rank;
    }
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
