import type { Container } from './hardware/container.ts';
import type { Machine } from './hardware/machine.ts';
import type { Source } from './telemetry/signals.ts';

/** A running pod: what it is called, what it uses, and the machine it is on. */
export interface PodRuntime {
  source: Source;
  container: Container;
  machine: Machine;
  port: number;
  startedMs: number;
}
