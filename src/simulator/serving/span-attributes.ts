import type { SpanAttribute } from '../telemetry/signals.ts';
import type { ModelCall } from './engine.ts';
import type { Journey } from './journey.ts';
import type { Replica } from './router.ts';

type Attributes = Record<string, SpanAttribute>;

export function httpAttributes(route: string, status: number): Attributes {
  return {
    'http.request.method': 'POST',
    'http.route': route,
    'url.path': route,
    'url.scheme': 'http',
    'http.response.status_code': status,
  };
}

/** Who asks, on the gateway's own span. */
export function callerAttributes({ request }: Journey): Attributes {
  return {
    'user_agent.original': `${request.client.name}/${request.client.version}`,
    'gen_ai.request.model': request.model,
    tenant: request.tenant,
    client: request.client.name,
    'client.version': request.client.version,
  };
}

export const EMBEDDING_ATTRIBUTES: Attributes = {
  'gen_ai.operation.name': 'embeddings',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'bge-m3',
  'server.address': 'embedding.inference.svc',
  'server.port': 8080,
};

export const SEARCH_ATTRIBUTES: Attributes = {
  'db.system.name': 'qdrant',
  'db.operation.name': 'query',
  'db.collection.name': 'documents',
  'server.address': 'qdrant.data.svc',
  'server.port': 6333,
};

/** A finished call of a model, as the calling side's instrumentation tells it (GenAI conventions 1.41). */
export function clientAttributes(journey: Journey, call: ModelCall, replica: Replica, startMs: number): Attributes {
  const { model, tenant, client } = journey.request;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': model,
    'gen_ai.response.model': model,
    'gen_ai.response.id': call.id,
    'gen_ai.request.max_tokens': call.maxTokens,
    'gen_ai.request.stream': true,
    'gen_ai.usage.input_tokens': call.promptTokens,
    'gen_ai.usage.output_tokens': call.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': call.cachedTokens,
    'gen_ai.response.finish_reasons': [call.finishReason],
    'gen_ai.response.time_to_first_chunk': (call.firstTokenAt - startMs) / 1000,
    'server.address': replica.pod.source.podIp,
    'server.port': replica.pod.port,
    tenant,
    'client.version': client.version,
  };
}

/** The same call on vLLM's span, in vLLM's own older spelling (signals.md 9.1). */
export function engineAttributes(call: ModelCall, model: string): Attributes {
  const seconds = (from: number, to: number) => (to - from) / 1000;
  return {
    'gen_ai.request.id': call.id,
    'gen_ai.response.model': model,
    'gen_ai.request.max_tokens': call.maxTokens,
    'gen_ai.request.n': 1,
    'gen_ai.usage.prompt_tokens': call.promptTokens,
    'gen_ai.usage.completion_tokens': call.outputTokens,
    'gen_ai.latency.time_in_queue': seconds(call.queuedAt, call.scheduledAt),
    'gen_ai.latency.time_to_first_token': seconds(call.arrivedAt, call.firstTokenAt),
    'gen_ai.latency.time_in_model_prefill': seconds(call.scheduledAt, call.firstTokenAt),
    'gen_ai.latency.time_in_model_decode': seconds(call.firstTokenAt, call.finishedAt),
    'gen_ai.latency.time_in_model_inference': seconds(call.scheduledAt, call.finishedAt),
    'gen_ai.latency.e2e': seconds(call.arrivedAt, call.finishedAt),
  };
}
