import type { Random } from '../core/random.ts';
import type { Timeline } from '../core/timeline.ts';
import type { PodRuntime } from '../pod-runtime.ts';
import type { SignalBuffer, SpanAttribute, SpanKind } from '../telemetry/signals.ts';
import type { CallerCounts } from './caller-counts.ts';
import type { ModelCall } from './engine.ts';
import type { HttpMetrics } from './http-metrics.ts';
import { chooseReplica, type Replica } from './router.ts';
import type { Station } from './station.ts';
import type { UserRequest } from './traffic.ts';

/** The services of one cluster that requests pass through. */
export interface Services {
  gateway: readonly PodRuntime[];
  ragApi: readonly PodRuntime[];
  embedding: Station;
  vectorDatabase: Station;
  replicas: ReadonlyMap<string, readonly Replica[]>;
  http: ReadonlyMap<PodRuntime, HttpMetrics>;
  callers: ReadonlyMap<PodRuntime, CallerCounts>;
}

/** Requests at the gateway; arrived = completed + failed + in flight. */
export interface RequestCounts {
  arrived: number;
  completed: number;
  failed: number;
  inFlight: number;
}

export interface FrontDoor {
  send(request: UserRequest): void;
  readonly counts: RequestCounts;
}

/** Traces whose last 56 bits reach this share are kept: one in ten, told in `tracestate` as OpenTelemetry does. */
export const SAMPLED_FROM = 0.9;

const PATHS = { chat: '/v1/chat/completions', rag: '/v1/rag/query' } as const;

interface Journey {
  request: UserRequest;
  requestId: string;
  traceId: string;
  sampled: boolean;
  startMs: number;
  gateway: PodRuntime;
  rootSpan: string;
}

/** Takes requests through gateway, RAG service, embedding, vector database and model, and reports what each of them saw. */
export function createFrontDoor(options: {
  timeline: Timeline;
  random: Random;
  signals: SignalBuffer;
  services: Services;
}): FrontDoor {
  const { timeline, random, signals, services } = options;
  const counts: RequestCounts = { arrived: 0, completed: 0, failed: 0, inFlight: 0 };
  let turn = 0;

  const after = (ms: number, action: () => void) => timeline.at(timeline.now + ms, action);
  const hop = () => 0.25 + random.exponential(0.15);
  const spanId = (journey: Journey) => (journey.sampled ? random.hex(16) : '');

  const record = (
    journey: Journey,
    pod: PodRuntime,
    kind: SpanKind,
    name: string,
    ids: { id: string; parent: string },
    startMs: number,
    attributes: Record<string, SpanAttribute>,
    error?: string,
  ) => {
    if (!journey.sampled) return;
    signals.span({
      source: pod.source,
      traceId: journey.traceId,
      spanId: ids.id,
      parentSpanId: ids.parent,
      name,
      kind,
      startMs,
      endMs: timeline.now,
      attributes: { ...attributes, request_id: journey.requestId },
      ...(error === undefined ? {} : { error }),
    });
  };

  const send = (request: UserRequest) => {
    counts.arrived++;
    counts.inFlight++;
    const traceId = random.hex(32);
    const gateway = services.gateway[turn++ % services.gateway.length];
    if (!gateway) throw new Error('no gateway');
    const sampled = Number.parseInt(traceId.slice(18, 26), 16) / 0x100000000 >= SAMPLED_FROM;
    const requestId = `req-${random.hex(16)}`;
    const journey: Journey = { request, requestId, traceId, sampled, startMs: timeline.now, gateway, rootSpan: '' };
    journey.rootSpan = spanId(journey);
    gateway.container.charge(0.0025, 900 + request.promptTokens * 4, 400);
    after(1.2 + random.exponential(0.6), () => {
      if (request.malformed) return answer(journey, 400, undefined, undefined);
      if (request.route === 'chat') {
        callModel(journey, gateway, journey.rootSpan, (call, replica) =>
          answer(journey, statusOf(call), call, replica),
        );
      } else {
        callRag(journey);
      }
    });
  };

  const callModel = (
    journey: Journey,
    caller: PodRuntime,
    parent: string,
    done: (call: ModelCall, replica: Replica) => void,
  ) => {
    const { request } = journey;
    const startMs = timeline.now;
    const replica = chooseReplica(services.replicas.get(request.model) ?? [], request.conversation);
    const call = createCall(journey);
    const client = spanId(journey);
    call.onFinish = () => {
      const server = { id: spanId(journey), parent: client };
      record(
        journey,
        replica.pod,
        'server',
        'llm_request',
        server,
        call.arrivedAt,
        engineAttributes(call, request.model),
      );
      replica.pod.container.charge(call.outputTokens * 0.00012, 0, call.outputTokens * 190);
      after(hop(), () => {
        const name = `chat ${request.model}`;
        const ids = { id: client, parent };
        record(
          journey,
          caller,
          'client',
          name,
          ids,
          startMs,
          clientAttributes(call, request, replica, startMs),
          errorOf(call),
        );
        done(call, replica);
      });
    };
    after(hop(), () => {
      call.arrivedAt = timeline.now;
      replica.pod.container.charge(0.004 + request.promptTokens * 2e-6, 600 + request.promptTokens * 4, 300);
      after(1.5 + request.promptTokens * 0.0015, () => replica.engine.submit(call));
    });
  };

  const callRag = (journey: Journey) => {
    const client = { id: spanId(journey), parent: journey.rootSpan };
    const server = { id: spanId(journey), parent: client.id };
    const clientStart = timeline.now;
    const pod = services.ragApi[turn % services.ragApi.length];
    if (!pod) throw new Error('no rag-api');
    after(hop(), () => {
      const serverStart = timeline.now;
      pod.container.charge(0.012, 3000, 2500);
      after(2 + random.exponential(1), () =>
        retrieve(journey, pod, server.id, (retrievalMs) =>
          callModel(journey, pod, server.id, (call, replica) => {
            after(1.5, () => {
              const status = statusOf(call);
              const seconds = (timeline.now - serverStart) / 1000;
              const route = PATHS.rag;
              services.http.get(pod)?.observe(httpLabels('POST', route, status), seconds);
              const attributes = httpAttributes('POST', route, status);
              record(journey, pod, 'server', `POST ${route}`, server, serverStart, attributes, errorOf(call));
              signals.line(ragLine(journey, pod, timeline.now, status, retrievalMs, call));
              after(hop(), () => {
                const peer = { ...attributes, 'server.address': 'rag-api.inference.svc', 'server.port': 8080 };
                record(journey, journey.gateway, 'client', 'POST', client, clientStart, peer, errorOf(call));
                answer(journey, status, call, replica);
              });
            });
          }),
        ),
      );
    });
  };

  /** Embeds the question, then searches; `done` gets the time both took. */
  const retrieve = (journey: Journey, pod: PodRuntime, parent: string, done: (ms: number) => void) => {
    const startMs = timeline.now;
    const embed = { id: spanId(journey), parent };
    callStation(journey, services.embedding, 'POST', '/v1/embeddings', embed.id, () => {
      record(journey, pod, 'client', 'embeddings bge-m3', embed, startMs, {
        'gen_ai.operation.name': 'embeddings',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'bge-m3',
        'server.address': 'embedding.inference.svc',
        'server.port': 8080,
      });
      const searchMs = timeline.now;
      const search = { id: spanId(journey), parent };
      const path = '/collections/documents/points/query';
      callStation(journey, services.vectorDatabase, 'POST', path, search.id, () => {
        record(journey, pod, 'client', 'query documents', search, searchMs, {
          'db.system.name': 'qdrant',
          'db.operation.name': 'query',
          'db.collection.name': 'documents',
          'server.address': 'qdrant.data.svc',
          'server.port': 6333,
        });
        after(1 + random.exponential(0.5), () => done(timeline.now - startMs));
      });
    });
  };

  const callStation = (
    journey: Journey,
    station: Station,
    method: string,
    path: string,
    parent: string,
    done: () => void,
  ) => {
    after(hop(), () =>
      station.serve((pod, arrivedMs) => {
        services.http.get(pod)?.observe(httpLabels(method, path, 200), (timeline.now - arrivedMs) / 1000);
        const ids = { id: spanId(journey), parent };
        record(journey, pod, 'server', `${method} ${path}`, ids, arrivedMs, httpAttributes(method, path, 200));
        after(hop(), done);
      }),
    );
  };

  const answer = (journey: Journey, status: number, call: ModelCall | undefined, replica: Replica | undefined) => {
    after(0.4, () => {
      const { request, gateway } = journey;
      counts.inFlight--;
      if (status === 200) counts.completed++;
      else counts.failed++;
      gateway.container.charge((call?.outputTokens ?? 0) * 1e-5, 0, 500 + (call?.outputTokens ?? 0) * 190);
      const path = PATHS[request.route];
      services.http
        .get(gateway)
        ?.observe(
          { ...httpLabels('POST', path, status), model: request.model },
          (timeline.now - journey.startMs) / 1000,
        );
      services.callers.get(gateway)?.add(request, status);
      const attributes: Record<string, SpanAttribute> = {
        ...httpAttributes('POST', path, status),
        'user_agent.original': `${request.client.name}/${request.client.version}`,
        'gen_ai.request.model': request.model,
        tenant: request.tenant,
        client: request.client.name,
        'client.version': request.client.version,
      };
      const error = call ? errorOf(call) : 'invalid_request_error';
      const ids = { id: journey.rootSpan, parent: '' };
      record(
        journey,
        gateway,
        'server',
        `POST ${path}`,
        ids,
        journey.startMs,
        attributes,
        status < 500 && status !== 499 ? undefined : error,
      );
      signals.line(gatewayLine(journey, timeline.now, status, call, replica));
    });
  };

  const createCall = (journey: Journey): ModelCall => {
    const { request } = journey;
    const whole = Math.min(request.wantedTokens, request.maxTokens);
    const outputTokens = Math.max(1, Math.floor(whole * request.patience));
    const complete = request.wantedTokens < request.maxTokens ? 'stop' : 'length';
    return {
      id: `chatcmpl-${journey.requestId.slice(4)}`,
      conversation: request.conversation,
      promptTokens: request.promptTokens,
      outputTokens,
      maxTokens: request.maxTokens,
      finishReason: request.patience < 1 ? 'abort' : complete,
      arrivedAt: 0,
      queuedAt: 0,
      scheduledAt: 0,
      firstTokenAt: 0,
      finishedAt: 0,
      cachedTokens: 0,
      onFinish: () => {},
    };
  };

  return { send, counts };
}

/** 499 as nginx has it: the client closed the connection. */
function statusOf(call: ModelCall): number {
  return call.finishReason === 'abort' ? 499 : 200;
}

function errorOf(call: ModelCall): string | undefined {
  return call.finishReason === 'abort' ? 'client closed request' : undefined;
}

function httpLabels(method: string, route: string, status: number): Record<string, string> {
  return { http_request_method: method, http_route: route, http_response_status_code: String(status) };
}

function httpAttributes(method: string, route: string, status: number): Record<string, SpanAttribute> {
  return {
    'http.request.method': method,
    'http.route': route,
    'url.path': route,
    'url.scheme': 'http',
    'http.response.status_code': status,
  };
}

function clientAttributes(
  call: ModelCall,
  request: UserRequest,
  replica: Replica,
  startMs: number,
): Record<string, SpanAttribute> {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': request.model,
    'gen_ai.response.model': request.model,
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
    tenant: request.tenant,
    'client.version': request.client.version,
  };
}

/** The attributes vLLM sets on its span, in its own older spelling (signals.md 9.1). */
function engineAttributes(call: ModelCall, model: string): Record<string, SpanAttribute> {
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

function gatewayLine(
  journey: Journey,
  nowMs: number,
  status: number,
  call: ModelCall | undefined,
  replica: Replica | undefined,
) {
  const { request } = journey;
  const level = status < 400 ? 'info' : 'warn';
  const line = JSON.stringify({
    time: new Date(nowMs).toISOString(),
    level,
    msg: status === 400 ? 'refused: messages must not be empty' : 'request',
    request_id: journey.requestId,
    trace_id: journey.traceId,
    method: 'POST',
    path: PATHS[request.route],
    status,
    duration_ms: Math.round(nowMs - journey.startMs),
    model: request.model,
    tenant: request.tenant,
    client: `${request.client.name}/${request.client.version}`,
    ...(call && replica
      ? {
          upstream: replica.pod.source.pod,
          ttft_ms: Math.round(call.firstTokenAt - journey.startMs),
          prompt_tokens: call.promptTokens,
          completion_tokens: call.outputTokens,
          finish_reason: call.finishReason,
        }
      : {}),
  });
  return { source: journey.gateway.source, timeMs: nowMs, level, line } as const;
}

function ragLine(
  journey: Journey,
  pod: PodRuntime,
  nowMs: number,
  status: number,
  retrievalMs: number,
  call: ModelCall,
) {
  const stamp = new Date(nowMs).toISOString().replace('T', ' ').replace('.', ',').slice(0, 23);
  const line =
    `${stamp} INFO [rag_api.answer] request_id=${journey.requestId} trace_id=${journey.traceId} status=${status} ` +
    `documents=6 retrieval_ms=${retrievalMs.toFixed(1)} generation_ms=${Math.round(call.finishedAt - call.arrivedAt)} model=${journey.request.model}`;
  return { source: pod.source, timeMs: nowMs, level: 'info', line } as const;
}
