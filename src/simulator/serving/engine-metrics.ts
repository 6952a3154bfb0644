import { createHistogram, type Histogram } from '../core/histogram.ts';

const TTFT_BOUNDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
];
const TOKEN_TIME_BOUNDS = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
];
const REQUEST_TIME_BOUNDS = [
  0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680,
];
const ITERATION_TOKEN_BOUNDS = [1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];

export const FINISH_REASONS = ['stop', 'length', 'abort'] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

/** What a vLLM engine counts, with vLLM's own buckets (vllm/v1/metrics/loggers.py as described in signals.md 2.1). */
export interface EngineMetrics {
  preemptions: number;
  prefixQueries: number;
  prefixHits: number;
  promptTokens: number;
  cachedPromptTokens: number;
  generationTokens: number;
  finished: Record<FinishReason, number>;
  ttft: Histogram;
  itl: Histogram;
  tpot: Histogram;
  e2e: Histogram;
  queueTime: Histogram;
  prefillTime: Histogram;
  decodeTime: Histogram;
  inferenceTime: Histogram;
  requestPromptTokens: Histogram;
  requestGenerationTokens: Histogram;
  requestMaxTokens: Histogram;
  requestComputedTokens: Histogram;
  iterationTokens: Histogram;
}

export function createEngineMetrics(maxModelLen: number): EngineMetrics {
  const sizes = oneTwoFive(maxModelLen);
  return {
    preemptions: 0,
    prefixQueries: 0,
    prefixHits: 0,
    promptTokens: 0,
    cachedPromptTokens: 0,
    generationTokens: 0,
    finished: { stop: 0, length: 0, abort: 0 },
    ttft: createHistogram(TTFT_BOUNDS),
    itl: createHistogram(TOKEN_TIME_BOUNDS),
    tpot: createHistogram(TOKEN_TIME_BOUNDS),
    e2e: createHistogram(REQUEST_TIME_BOUNDS),
    queueTime: createHistogram(REQUEST_TIME_BOUNDS),
    prefillTime: createHistogram(REQUEST_TIME_BOUNDS),
    decodeTime: createHistogram(REQUEST_TIME_BOUNDS),
    inferenceTime: createHistogram(REQUEST_TIME_BOUNDS),
    requestPromptTokens: createHistogram(sizes),
    requestGenerationTokens: createHistogram(sizes),
    requestMaxTokens: createHistogram(sizes),
    requestComputedTokens: createHistogram(sizes),
    iterationTokens: createHistogram(ITERATION_TOKEN_BOUNDS),
  };
}

/** 1, 2, 5, 10, 20, 50 … up to `limit`. */
function oneTwoFive(limit: number): number[] {
  const bounds: number[] = [];
  for (let decade = 1; decade <= limit; decade *= 10) {
    for (const step of [1, 2, 5]) if (decade * step <= limit) bounds.push(decade * step);
  }
  return bounds;
}
