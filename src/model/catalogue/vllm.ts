import { instanceAt, namespaced } from './identity.ts';
import { by, type Recipe, selector } from './recipe.ts';
import type { SourceSystem } from './source.ts';

/**
 * vLLM's `/metrics`. Engines of one pod (data-parallel ranks, label `engine`) are added up; tensor-parallel ranks have
 * one engine and so one series. Names from vLLM's own documentation; the underscore forms come from collectors that
 * rewrite colons.
 */
export const vllm: SourceSystem = {
  name: 'vllm',
  howTo: 'Scrape /metrics of the vLLM API port (8000) on every pod, with the labels namespace and pod.',
  tables: [
    {
      home: 'pod',
      identities: [
        namespaced('pod', 'namespace', 'pod'),
        namespaced('pod', 'k8s_namespace_name', 'k8s_pod_name'),
        namespaced('pod', 'kubernetes_namespace', 'kubernetes_pod_name'),
        instanceAt('ip'),
      ],
      signals: {
        'inference.requests': { kind: 'counter', names: ['vllm:request_success_total'] },
        'inference.errors': { kind: 'custom', expression: errors },
        'inference.ttft': histogram('time_to_first_token_seconds'),
        'inference.itl': histogram('inter_token_latency_seconds', 'time_per_output_token_seconds'),
        'inference.e2e': histogram('e2e_request_latency_seconds'),
        'inference.queue_time': histogram('request_queue_time_seconds'),
        'inference.prefill_time': histogram('request_prefill_time_seconds'),
        'inference.decode_time': histogram('request_decode_time_seconds'),
        'inference.running': gauge('num_requests_running'),
        'inference.waiting': gauge('num_requests_waiting'),
        'inference.kv_usage': gauge('kv_cache_usage_perc', 'gpu_cache_usage_perc'),
        'inference.prefix_hit_ratio': {
          kind: 'share',
          part: counter('prefix_cache_hits_total', 'gpu_prefix_cache_hits_total'),
          whole: counter('prefix_cache_queries_total', 'gpu_prefix_cache_queries_total'),
        },
        'inference.preemptions': counter('num_preemptions_total'),
        'inference.prompt_tokens': counter('prompt_tokens_total'),
        'inference.output_tokens': counter('generation_tokens_total'),
        'inference.prompt_length': histogram('request_prompt_tokens'),
        'inference.output_length': histogram('request_generation_tokens'),
        'inference.spec_acceptance': {
          kind: 'share',
          part: counter('spec_decode_num_accepted_tokens_total'),
          whole: counter('spec_decode_num_draft_tokens_total'),
        },
        'inference.finish_reason': {
          kind: 'share',
          part: { kind: 'counter', names: ['vllm:request_success_total'], where: 'finished_reason="length"' },
          whole: { kind: 'counter', names: ['vllm:request_success_total'] },
        },
      },
    },
  ],
};

function histogram(...names: string[]): Recipe {
  return { kind: 'histogram', names: names.map((name) => `vllm:${name}`) };
}

function counter(...names: string[]): Recipe {
  return { kind: 'counter', names: names.map((name) => `vllm:${name}`) };
}

function gauge(...names: string[]): Recipe {
  return { kind: 'gauge', names: names.map((name) => `vllm:${name}`) };
}

/** Series of a finish reason appear with the first such request, so a server without failures counts as zero. */
function errors({ matchers, range, grain }: { matchers: string; range: string; grain: readonly string[] }): string {
  const finished = (where?: string) =>
    `sum${by(grain)} (rate(${selector('vllm:request_success_total', matchers, where)}[${range}]))`;
  const failed = (name: string, where: string) =>
    `sum${by(grain)} (rate(${selector(name, matchers, where)}[${range}]))`;
  return `${failed('http_requests_total', 'status=~"5..?x?|5xx"')} or ${finished('finished_reason="error"')} or 0 * ${finished()}`;
}
