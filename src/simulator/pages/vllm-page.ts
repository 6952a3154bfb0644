import { FINISH_REASONS } from '../serving/engine-metrics.ts';
import { BLOCK_TOKENS } from '../serving/model-profile.ts';
import type { Replica } from '../serving/router.ts';
import { createPage, type Page, type PageBuilder } from './page.ts';

/** `/metrics` of a vLLM API server (V1 engine). */
export function vllmPage(replica: Replica): Page {
  return createPage((page) => {
    addState(page, replica);
    addCounters(page, replica);
    addHistograms(page, replica);
    addProcess(page, replica);
  });
}

function base(replica: Replica): { model_name: string; engine: string } {
  return { model_name: replica.engine.model.name, engine: '0' };
}

function addState(page: PageBuilder, replica: Replica): void {
  const { engine } = replica;
  const labels = base(replica);
  const gauge = (name: string, help: string, read: () => number) => page.gauge(`vllm:${name}`, help, labels, read);
  gauge('num_requests_running', 'Number of requests in model execution batches.', () => engine.running);
  gauge('num_requests_waiting', 'Number of requests waiting to be processed.', () => engine.queued);
  gauge('kv_cache_usage_perc', 'KV-cache usage. 1 means 100 percent usage.', () => engine.kvUsage);
  const states = { awake: 1, weights_offloaded: 0, discard_all: 0 };
  for (const [state, value] of Object.entries(states)) {
    const help = 'Engine sleep state; awake = 0 means engine is sleeping; awake = 1 means engine is awake.';
    page.gauge('vllm:engine_sleep_state', help, { ...labels, sleep_state: state }, () => value);
  }
  page.gauge(
    'vllm:cache_config_info',
    'Information of the LLMEngine CacheConfig',
    {
      block_size: String(BLOCK_TOKENS),
      cache_dtype: engine.model.cacheDtype,
      enable_prefix_caching: 'True',
      engine: '0',
      gpu_memory_utilization: String(engine.model.gpuMemoryUtilization),
      num_cpu_blocks: 'None',
      num_gpu_blocks: String(engine.totalBlocks),
      prefix_caching_hash_algo: 'sha256',
    },
    () => 1,
  );
}

function addCounters(page: PageBuilder, replica: Replica): void {
  const { metrics } = replica.engine;
  const labels = base(replica);
  const counter = (name: string, help: string, read: () => number, more: Record<string, string> = {}) =>
    page.counter(`vllm:${name}`, help, { ...labels, ...more }, read);
  counter('num_preemptions_total', 'Cumulative number of preemption from the engine.', () => metrics.preemptions);
  counter(
    'prefix_cache_queries_total',
    'Prefix cache queries, in terms of number of queried tokens.',
    () => metrics.prefixQueries,
  );
  counter(
    'prefix_cache_hits_total',
    'Prefix cache hits, in terms of number of cached tokens.',
    () => metrics.prefixHits,
  );
  counter('prompt_tokens_total', 'Number of prefill tokens processed.', () => metrics.promptTokens);
  counter('prompt_tokens_cached_total', 'Number of prompt tokens served from cache.', () => metrics.cachedPromptTokens);
  counter('generation_tokens_total', 'Number of generation tokens processed.', () => metrics.generationTokens);
  for (const reason of FINISH_REASONS) {
    const help = 'Count of successfully processed requests.';
    counter('request_success_total', help, () => metrics.finished[reason], { finished_reason: reason });
  }
}

function addHistograms(page: PageBuilder, replica: Replica): void {
  const { metrics } = replica.engine;
  const labels = base(replica);
  const add = (name: string, help: string, key: HistogramKey) =>
    page.histogram(`vllm:${name}`, help, labels, metrics[key]);
  add('time_to_first_token_seconds', 'Histogram of time to first token in seconds.', 'ttft');
  add('inter_token_latency_seconds', 'Histogram of inter-token latency in seconds.', 'itl');
  add('request_time_per_output_token_seconds', 'Histogram of time_per_output_token_seconds per request.', 'tpot');
  add('e2e_request_latency_seconds', 'Histogram of e2e request latency in seconds.', 'e2e');
  add('request_queue_time_seconds', 'Histogram of time spent in WAITING phase for request.', 'queueTime');
  add('request_prefill_time_seconds', 'Histogram of time spent in PREFILL phase for request.', 'prefillTime');
  add('request_decode_time_seconds', 'Histogram of time spent in DECODE phase for request.', 'decodeTime');
  add('request_inference_time_seconds', 'Histogram of time spent in RUNNING phase for request.', 'inferenceTime');
  add('request_prompt_tokens', 'Number of prefill tokens processed.', 'requestPromptTokens');
  add('request_generation_tokens', 'Number of generation tokens processed.', 'requestGenerationTokens');
  add('request_params_max_tokens', 'Histogram of the max_tokens request parameter.', 'requestMaxTokens');
  add(
    'request_prefill_kv_computed_tokens',
    'Histogram of new KV tokens computed during prefill (excluding cached tokens).',
    'requestComputedTokens',
  );
  add('iteration_tokens_total', 'Histogram of number of tokens per engine_step.', 'iterationTokens');
}

type HistogramKey =
  | 'ttft' | 'itl' | 'tpot' | 'e2e' | 'queueTime' | 'prefillTime' | 'decodeTime' | 'inferenceTime'
  | 'requestPromptTokens' | 'requestGenerationTokens' | 'requestMaxTokens' | 'requestComputedTokens' | 'iterationTokens'; // biome-ignore format: a list

function addProcess(page: PageBuilder, replica: Replica): void {
  const { container, startedMs } = replica.pod;
  page.counter(
    'process_cpu_seconds_total',
    'Total user and system CPU time spent in seconds.',
    {},
    () => container.cpuSeconds,
  );
  page.gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', {}, () =>
    Math.round(container.workingSetBytes * 0.9),
  );
  page.gauge(
    'process_start_time_seconds',
    'Start time of the process since unix epoch in seconds.',
    {},
    () => startedMs / 1000,
  );
  page.gauge('process_open_fds', 'Number of open file descriptors.', {}, () => 92 + replica.engine.outstanding);
}
