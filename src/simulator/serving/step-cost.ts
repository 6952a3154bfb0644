import type { Gpu, GpuWork } from '../hardware/gpu.ts';
import { H100 } from '../hardware/h100.ts';
import type { ModelProfile } from './model-profile.ts';

/** What one engine step computes. */
export interface StepLoad {
  decodeTokens: number;
  prefillTokens: number;
  /** Tokens whose keys and values the decoding sequences read. */
  contextTokens: number;
}

export interface StepCost {
  /** Seconds in which a kernel runs on every rank. */
  kernelSeconds: number;
  /** The work of each rank, in the order of the GPUs. */
  work: GpuWork;
}

/**
 * Roofline of one step: the weights are read once, whatever the batch, while the matrix products wait for compute;
 * then the KV cache is read. All ranks end together, so the slowest sets the time and the others wait in the
 * all-reduce with a kernel resident. Prefill and small kernels stretch with 1/clock, memory reads only once the clock is
 * too low to fill the bus.
 */
export function stepCost(model: ModelProfile, gpus: readonly Gpu[], load: StepLoad): StepCost {
  const ranks = model.tensorParallel;
  const tokens = load.decodeTokens + load.prefillTokens;
  const weightBytes = (model.parameters * model.bytesPerParameter) / ranks;
  const kvBytes = ((load.contextTokens + tokens) * model.kvBytesPerToken) / ranks;
  const flops = (2 * model.parameters * tokens) / ranks;
  const peak = H100.flopsPerSecond[model.precision];
  const bandwidth = H100.memoryBytesPerSecond * H100.memoryEfficiency;
  const compute = peak * H100.computeEfficiency;

  let kernelSeconds = 0;
  for (const gpu of gpus) {
    const clock = gpu.clock;
    const reach = Math.min(1, clock / H100.bandwidthBoundClock);
    const seconds =
      model.smallKernelSeconds / clock +
      Math.max(weightBytes / (bandwidth * reach), flops / (compute * clock)) +
      kvBytes / (bandwidth * reach);
    kernelSeconds = Math.max(kernelSeconds, seconds);
  }
  const allReduceBytes = ranks > 1 ? 2 * model.layers * tokens * model.hiddenSize * 2 : 0;
  return {
    kernelSeconds,
    work: {
      dramBytesPerSecond: (weightBytes + kvBytes) / kernelSeconds,
      tensorOfPeak: flops / peak / kernelSeconds,
      smActive: Math.min(0.97, 0.72 + (0.25 * flops) / (compute * kernelSeconds)),
      nvlinkBytesPerSecond: allReduceBytes / kernelSeconds,
    },
  };
}
