/** Every check, in the order in which a question's sentences are told. A new one is a file and a line here. */
import type { Check } from '../check.ts';
import { changes } from './changes.ts';
import { cpuLimit } from './cpu-limit.ts';
import { demand } from './demand.ts';
import { downstream } from './downstream.ts';
import { gpuFault } from './gpu-fault.ts';
import { gpuPower } from './gpu-power.ts';
import { gpuThermal } from './gpu-thermal.ts';
import { gpuUse } from './gpu-use.ts';
import { nodePressure } from './node-pressure.ts';
import { phases } from './phases.ts';
import { restarts } from './restarts.ts';
import { scope } from './scope.ts';
import { serving } from './serving.ts';
import { telemetry } from './telemetry.ts';
import { workloadHealth } from './workload-health.ts';

export const CHECKS: readonly Check[] = [
  workloadHealth,
  restarts,
  nodePressure,
  cpuLimit,
  gpuUse,
  gpuThermal,
  gpuPower,
  gpuFault,
  scope,
  downstream,
  changes,
  demand,
  phases,
  serving,
  telemetry,
];
