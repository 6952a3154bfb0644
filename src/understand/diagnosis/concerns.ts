import type { Focus } from './focus.ts';
import type { Need } from './need.ts';

/** Whether it runs a model: only then are engine and GPU signals worth asking for. */
export function serves(focus: Focus): boolean {
  return focus.gpus.length > 0 || focus.workload?.facts.engine !== undefined;
}

/** A model service is judged by its engine and its GPUs, everything else by what it serves over HTTP. */
export function concerns(focus: Focus, need: Need): boolean {
  return serves(focus) ? !isOfService(need) : !need.signal.startsWith('inference.') && !need.signal.startsWith('gpu.');
}

export function isOfService(need: Need): boolean {
  return need.signal.startsWith('service.') || need.signal.startsWith('edge.');
}
