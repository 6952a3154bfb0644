import { H100 } from '../hardware/h100.ts';

/** What the arithmetic of a served model costs, and how its engine is configured. */
export interface ModelProfile {
  /** The served model name. */
  name: string;
  repository: string;
  parameters: number;
  bytesPerParameter: number;
  precision: keyof typeof H100.flopsPerSecond;
  cacheDtype: string;
  /** KV-cache bytes of one token over all ranks. */
  kvBytesPerToken: number;
  tensorParallel: number;
  maxModelLen: number;
  maxNumSeqs: number;
  maxBatchedTokens: number;
  gpuMemoryUtilization: number;
  /** Time of attention, norm, sampling and all-reduce kernels of one step at the peak clock, in seconds. */
  smallKernelSeconds: number;
  /** Time between two steps in which no kernel runs, in seconds. */
  hostGapSeconds: number;
  hiddenSize: number;
  layers: number;
}

export const BLOCK_TOKENS = 16;

/** 70.6 B parameters in FP8; 80 layers with 8 key-value heads of 128 in 16 bit (the published architecture). */
export const llama70b: ModelProfile = {
  name: 'llama-3-70b',
  repository: 'meta-llama/Llama-3.3-70B-Instruct-FP8',
  parameters: 70.6e9,
  bytesPerParameter: 1,
  precision: 'fp8',
  cacheDtype: 'auto',
  kvBytesPerToken: 80 * 8 * 128 * 2 * 2,
  tensorParallel: 2,
  maxModelLen: 16_384,
  maxNumSeqs: 32,
  maxBatchedTokens: 512,
  gpuMemoryUtilization: 0.92,
  smallKernelSeconds: 0.0045,
  hostGapSeconds: 0.0004,
  hiddenSize: 8192,
  layers: 80,
};

/** 14.8 B parameters in BF16; 48 layers with 8 key-value heads of 128. */
export const qwen14b: ModelProfile = {
  name: 'qwen-14b',
  repository: 'Qwen/Qwen2.5-14B-Instruct',
  parameters: 14.8e9,
  bytesPerParameter: 2,
  precision: 'bf16',
  cacheDtype: 'auto',
  kvBytesPerToken: 48 * 8 * 128 * 2 * 2,
  tensorParallel: 1,
  maxModelLen: 16_384,
  maxNumSeqs: 48,
  maxBatchedTokens: 512,
  gpuMemoryUtilization: 0.9,
  smallKernelSeconds: 0.003,
  hostGapSeconds: 0.0004,
  hiddenSize: 5120,
  layers: 48,
};

/** How many KV-cache blocks fit beside weights and activations. */
export function kvBlocks(model: ModelProfile): number {
  const perGpu = H100.memoryMiB * 2 ** 20 * model.gpuMemoryUtilization;
  const weights = (model.parameters * model.bytesPerParameter) / model.tensorParallel;
  const activations = 3.5e9;
  const tokens = ((perGpu - weights - activations) * model.tensorParallel) / model.kvBytesPerToken;
  return Math.floor(tokens / BLOCK_TOKENS);
}
