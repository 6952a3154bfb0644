import type { Random } from '../core/random.ts';
import type { Timeline } from '../core/timeline.ts';
import type { PodRuntime } from '../pod-runtime.ts';
import type { SignalBuffer, SpanAttribute, SpanKind } from '../telemetry/signals.ts';
import type { CallerCounts } from './caller-counts.ts';
import type { ModelCall } from './engine.ts';
import type { HttpMetrics } from './http-metrics.ts';
import { errorOf, type Journey, modelCallOf, PATHS, statusOf } from './journey.ts';
import { gatewayLine, ragLine } from './request-lines.ts';
import { chooseReplica, type Replica } from './router.ts';
import {
  callerAttributes,
  clientAttributes,
  EMBEDDING_ATTRIBUTES,
  engineAttributes,
  httpAttributes,
  SEARCH_ATTRIBUTES,
} from './span-attributes.ts';
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

/** Traces whose last 56 bits reach this share are kept: one in ten, told in `tracestate` as OpenTelemetry does. */
const SAMPLED_FROM = 0.9;

interface SpanIds {
  id: string;
  parent: string;
}

type Served = { call: ModelCall; replica: Replica };

/** Takes requests through gateway, RAG service, embedding, vector database and model, and reports what each of them saw. */
export class FrontDoor {
  readonly counts: RequestCounts = { arrived: 0, completed: 0, failed: 0, inFlight: 0 };
  private readonly timeline: Timeline;
  private readonly random: Random;
  private readonly signals: SignalBuffer;
  private readonly services: Services;
  private turn = 0;

  constructor(options: { timeline: Timeline; random: Random; signals: SignalBuffer; services: Services }) {
    this.timeline = options.timeline;
    this.random = options.random;
    this.signals = options.signals;
    this.services = options.services;
  }

  send(request: UserRequest): void {
    this.counts.arrived++;
    this.counts.inFlight++;
    const journey = this.begin(request);
    const { gateway, rootSpan } = journey;
    gateway.container.charge(0.0025, 900 + request.promptTokens * 4, 400);
    this.after(1.2 + this.random.exponential(0.6), () => {
      if (request.malformed) this.answer(journey, 400);
      else if (request.route === 'rag') this.callRag(journey);
      else this.callModel(journey, gateway, rootSpan, (served) => this.answer(journey, statusOf(served.call), served));
    });
  }

  private begin(request: UserRequest): Journey {
    const { random, services } = this;
    const traceId = random.hex(32);
    const sampled = Number.parseInt(traceId.slice(18, 26), 16) / 0x100000000 >= SAMPLED_FROM;
    return {
      request,
      requestId: `req-${random.hex(16)}`,
      traceId,
      sampled,
      startMs: this.timeline.now,
      gateway: inTurn(services.gateway, this.turn++),
      rootSpan: sampled ? random.hex(16) : '',
    };
  }

  private callModel(journey: Journey, caller: PodRuntime, parent: string, done: (served: Served) => void): void {
    const { request } = journey;
    const startMs = this.timeline.now;
    const replica = chooseReplica(this.services.replicas.get(request.model) ?? [], request.conversation);
    const call = modelCallOf(journey);
    const client = this.ids(journey, parent);
    const { container } = replica.pod;
    call.onFinish = () => {
      const attributes = engineAttributes(call, request.model);
      this.span(
        journey,
        replica.pod,
        'server',
        'llm_request',
        this.ids(journey, client.id),
        call.arrivedAt,
        attributes,
      );
      container.charge(call.outputTokens * 0.00012, 0, call.outputTokens * 190);
      this.after(this.hop(), () => {
        const seen = clientAttributes(journey, call, replica, startMs);
        this.span(journey, caller, 'client', `chat ${request.model}`, client, startMs, seen, errorOf(call));
        done({ call, replica });
      });
    };
    this.after(this.hop(), () => {
      call.arrivedAt = this.timeline.now;
      container.charge(0.004 + request.promptTokens * 2e-6, 600 + request.promptTokens * 4, 300);
      this.after(1.5 + request.promptTokens * 0.0015, () => replica.engine.submit(call));
    });
  }

  private callRag(journey: Journey): void {
    const client = this.ids(journey, journey.rootSpan);
    const server = this.ids(journey, client.id);
    const clientStartMs = this.timeline.now;
    const pod = inTurn(this.services.ragApi, this.turn);
    this.after(this.hop(), () => {
      const startMs = this.timeline.now;
      pod.container.charge(0.012, 3000, 2500);
      this.after(2 + this.random.exponential(1), () =>
        this.retrieve(journey, pod, server.id, (retrievalMs) =>
          this.callModel(journey, pod, server.id, (served) =>
            this.after(1.5, () => {
              const status = this.answerRag(journey, pod, server, { startMs, retrievalMs, call: served.call });
              this.after(this.hop(), () => {
                const peer = { 'server.address': 'rag-api.inference.svc', 'server.port': 8080 };
                const attributes = { ...httpAttributes(PATHS.rag, status), ...peer };
                const error = errorOf(served.call);
                this.span(journey, journey.gateway, 'client', 'POST', client, clientStartMs, attributes, error);
                this.answer(journey, status, served);
              });
            }),
          ),
        ),
      );
    });
  }

  /** What the RAG service reports when its answer leaves. Returns the status. */
  private answerRag(
    journey: Journey,
    pod: PodRuntime,
    ids: SpanIds,
    work: { startMs: number; retrievalMs: number; call: ModelCall },
  ): number {
    const { startMs, retrievalMs, call } = work;
    const { now } = this.timeline;
    const status = statusOf(call);
    this.services.http.get(pod)?.observe(httpLabels(PATHS.rag, status), (now - startMs) / 1000);
    const attributes = httpAttributes(PATHS.rag, status);
    this.span(journey, pod, 'server', `POST ${PATHS.rag}`, ids, startMs, attributes, errorOf(call));
    this.signals.line(ragLine(journey, pod, now, { status, retrievalMs, call }));
    return status;
  }

  /** Embeds the question, then searches; `done` gets the time both took. */
  private retrieve(journey: Journey, pod: PodRuntime, parent: string, done: (ms: number) => void): void {
    const { embedding, vectorDatabase } = this.services;
    const startMs = this.timeline.now;
    const embed = this.ids(journey, parent);
    this.callStation(journey, embedding, PATHS.embed, embed.id, () => {
      this.span(journey, pod, 'client', 'embeddings bge-m3', embed, startMs, EMBEDDING_ATTRIBUTES);
      const searchMs = this.timeline.now;
      const search = this.ids(journey, parent);
      this.callStation(journey, vectorDatabase, PATHS.search, search.id, () => {
        this.span(journey, pod, 'client', 'query documents', search, searchMs, SEARCH_ATTRIBUTES);
        this.after(1 + this.random.exponential(0.5), () => done(this.timeline.now - startMs));
      });
    });
  }

  private callStation(journey: Journey, station: Station, path: string, parent: string, done: () => void): void {
    this.after(this.hop(), () =>
      station.serve((pod, arrivedMs) => {
        this.services.http.get(pod)?.observe(httpLabels(path, 200), (this.timeline.now - arrivedMs) / 1000);
        const attributes = httpAttributes(path, 200);
        this.span(journey, pod, 'server', `POST ${path}`, this.ids(journey, parent), arrivedMs, attributes);
        this.after(this.hop(), done);
      }),
    );
  }

  /** The gateway's answer to the user. */
  private answer(journey: Journey, status: number, served?: Served): void {
    this.after(0.4, () => {
      const { request, gateway, startMs } = journey;
      const { now } = this.timeline;
      this.counts.inFlight--;
      if (status === 200) this.counts.completed++;
      else this.counts.failed++;
      const tokens = served?.call.outputTokens ?? 0;
      gateway.container.charge(tokens * 1e-5, 0, 500 + tokens * 190);
      const path = PATHS[request.route];
      const labels = { ...httpLabels(path, status), model: request.model };
      this.services.http.get(gateway)?.observe(labels, (now - startMs) / 1000);
      this.services.callers.get(gateway)?.add(request, status);
      const attributes = { ...httpAttributes(path, status), ...callerAttributes(journey) };
      const ids = { id: journey.rootSpan, parent: '' };
      const error = served && errorOf(served.call);
      this.span(journey, gateway, 'server', `POST ${path}`, ids, startMs, attributes, error);
      this.signals.line(gatewayLine(journey, now, status, served));
    });
  }

  /** A span that ends now. */
  private span(
    journey: Journey,
    pod: PodRuntime,
    kind: SpanKind,
    name: string,
    ids: SpanIds,
    startMs: number,
    attributes: Record<string, SpanAttribute>,
    error?: string,
  ): void {
    if (!journey.sampled) return;
    this.signals.span({
      source: pod.source,
      traceId: journey.traceId,
      spanId: ids.id,
      parentSpanId: ids.parent,
      name,
      kind,
      startMs,
      endMs: this.timeline.now,
      attributes: { ...attributes, request_id: journey.requestId },
      ...(error === undefined ? {} : { error }),
    });
  }

  private ids(journey: Journey, parent: string): SpanIds {
    return { id: journey.sampled ? this.random.hex(16) : '', parent };
  }

  private after(ms: number, action: () => void): void {
    this.timeline.at(this.timeline.now + ms, action);
  }

  /** Milliseconds from one pod to another. */
  private hop(): number {
    return 0.25 + this.random.exponential(0.15);
  }
}

function httpLabels(route: string, status: number): Record<string, string> {
  return { http_request_method: 'POST', http_route: route, http_response_status_code: String(status) };
}

function inTurn(pods: readonly PodRuntime[], turn: number): PodRuntime {
  const pod = pods[turn % pods.length];
  if (!pod) throw new Error('a service without pods');
  return pod;
}
