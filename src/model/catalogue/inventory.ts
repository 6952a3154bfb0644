/**
 * Queries from which the estate learns which GPUs and model servers there are, and what one look at each tells. Instant
 * selectors; every series of the answer carries its name.
 */

/** What the newest sample of a GPU exporter's series says about its card. Memory in MiB. */
export type GpuFact =
  | 'present' | 'memory-used' | 'memory-free' | 'memory-reserved' | 'memory-total' | 'xid' | 'clock-events' | 'remap-failure'
  | 'remap-pending'; // biome-ignore format: a list to read

const GPU_FACTS: Readonly<Record<string, GpuFact>> = {
  DCGM_FI_DEV_GPU_TEMP: 'present',
  DCGM_FI_DEV_GPU_UTIL: 'present',
  DCGM_FI_PROF_GR_ENGINE_ACTIVE: 'present',
  DCGM_FI_DEV_FB_USED: 'memory-used',
  DCGM_FI_DEV_FB_FREE: 'memory-free',
  DCGM_FI_DEV_FB_RESERVED: 'memory-reserved',
  DCGM_FI_DEV_FB_TOTAL: 'memory-total',
  DCGM_FI_DEV_XID_ERRORS: 'xid',
  DCGM_FI_DEV_CLOCKS_EVENT_REASONS: 'clock-events',
  DCGM_FI_DEV_CLOCK_THROTTLE_REASONS: 'clock-events',
  DCGM_FI_DEV_ROW_REMAP_FAILURE: 'remap-failure',
  DCGM_FI_DEV_ROW_REMAP_PENDING: 'remap-pending',
};

/** Series that a model server always exposes, idle or not; their labels carry the served name where the engine gives one. */
const MODEL_SERVERS: Readonly<Record<string, string>> = {
  'vllm:num_requests_running': 'vllm',
  vllm_num_requests_running: 'vllm',
  'sglang:num_running_reqs': 'sglang',
  sglang_num_running_reqs: 'sglang',
  tgi_batch_current_size: 'tgi',
  te_queue_size: 'tei',
  nv_inference_pending_request_count: 'triton',
  'llamacpp:requests_processing': 'llama.cpp',
};

export interface Inventory<T> {
  promql: string;
  /** What a series of the answer tells, by its name; undefined for a name that was not asked for. */
  tells(metricName: string): T | undefined;
}

export function gpuInventory(): Inventory<GpuFact> {
  return inventory(GPU_FACTS);
}

/** Tells the engine. */
export function modelServerInventory(): Inventory<string> {
  return inventory(MODEL_SERVERS);
}

function inventory<T>(names: Readonly<Record<string, T>>): Inventory<T> {
  return {
    promql: `{__name__=~"${Object.keys(names).join('|')}"}`,
    tells: (metricName) => (Object.hasOwn(names, metricName) ? names[metricName] : undefined),
  };
}
