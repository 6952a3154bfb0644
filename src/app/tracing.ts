import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Context, Span } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { type Logger, silentTracer, type Tracer, type TraceSpan } from '../base/index.ts';
import type { DoorService } from '../ingest/index.ts';

/** Traces of Trifocal's own work. */
export interface Tracing {
  tracer: Tracer;
  /** A span for each request of a server; must be called before its routes are registered. */
  traceRequests(app: FastifyInstance): void;
  traceDoors(service: DoorService): DoorService;
  /** Where this server itself listens, so that traces sent to it do not beget traces. */
  listensAt(addresses: readonly string[]): void;
  close(): Promise<void>;
}

export const noTracing: Tracing = {
  tracer: silentTracer,
  traceRequests: () => {},
  traceDoors: (service) => service,
  listensAt: () => {},
  close: async () => {},
};

/**
 * Where OTLP traces go: the configured address first, then OpenTelemetry's own variables; undefined when nobody asks for
 * any. Like the variable for all signals, the configured one is a base to which `/v1/traces` is added.
 */
export function tracesUrl(
  configured: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (environment.OTEL_SDK_DISABLED === 'true' || environment.OTEL_TRACES_EXPORTER === 'none') return undefined;
  const base =
    configured ??
    (environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ? undefined : environment.OTEL_EXPORTER_OTLP_ENDPOINT);
  if (base) return `${base.replace(/\/+$/, '')}/v1/traces`;
  return environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || undefined;
}

/** Marks the requests by which own traces are sent. */
const OWN = 'x-trifocal-own-traces';

/** Spans that begin by themselves, and would do so for every export to this very server. */
const BACKGROUND: ReadonlySet<string> = new Set(['spool load']);

/** Begins to export traces by OTLP over HTTP. The library is loaded only now. */
export async function startTracing(options: { url: string; version: string; logger: Logger }): Promise<Tracing> {
  const [api, { resourceFromAttributes }, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
  ]);
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  const secret = randomBytes(12).toString('base64url');
  const exporter = new OTLPTraceExporter({ url: options.url, headers: { [OWN]: secret } });
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'trifocal', 'service.version': options.version }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  const source = provider.getTracer('trifocal');
  /** The span below which work is done; `none` where it must leave no trace. */
  const current = new AsyncLocalStorage<Context | 'none'>();
  let toItself = false;
  options.logger.info({ url: new URL(options.url).origin }, 'own traces are exported');

  const wrap = (span: Span, parent: Context): TraceSpan => ({
    within: (work) => current.run(trace.setSpan(parent, span), work),
    set: (attributes) => {
      span.setAttributes(attributes);
    },
    end: (error) => {
      if (error !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('error.type', error instanceof Error ? error.name : 'error');
      }
      span.end();
    },
  });
  const begin = (
    name: string,
    attributes: Readonly<Record<string, string | number | boolean>>,
    kind = SpanKind.INTERNAL,
    parent?: Context,
  ) => {
    const above = parent ?? current.getStore() ?? ROOT_CONTEXT;
    if (above === 'none' || (toItself && BACKGROUND.has(name))) return silentTracer.begin(name);
    return wrap(source.startSpan(name, { kind, attributes }, above), above);
  };
  const tracer: Tracer = { begin: (name, attributes = {}) => begin(name, attributes) };

  return {
    tracer,
    traceRequests(app) {
      app.addHook('onRequest', (request, reply, done) => {
        if (request.headers[OWN] === secret) return current.run('none', done);
        const route = request.routeOptions.url ?? 'unknown';
        const parent = parentOf(request.headers.traceparent, api);
        const span = begin(
          `${request.method} ${route}`,
          { 'http.request.method': request.method, 'http.route': route },
          SpanKind.SERVER,
          parent,
        );
        reply.raw.once('close', () => {
          span.set({ 'http.response.status_code': reply.raw.statusCode });
          span.end(reply.raw.statusCode >= 500 ? new Error('failed') : undefined);
        });
        span.within(done);
      });
    },
    traceDoors: (service) => ({
      ...service,
      handle: async (request) => {
        const span = begin(`ingest ${request.door}`, { 'trifocal.bytes': request.body.length });
        try {
          const answer = await span.within(() => service.handle(request));
          span.set({ 'trifocal.status': answer.status });
          span.end();
          return answer;
        } catch (error) {
          span.end(error);
          throw error;
        }
      },
    }),
    listensAt(addresses) {
      const { hostname, port } = new URL(options.url);
      const host = hostname === 'localhost' ? '127.0.0.1' : hostname;
      toItself = addresses.includes(`${host}:${port}`);
    },
    close: () => provider.shutdown(),
  };
}

/** The caller's span by the W3C header; undefined without one. */
function parentOf(
  header: string | string[] | undefined,
  { ROOT_CONTEXT, trace }: typeof import('@opentelemetry/api'),
): Context | undefined {
  const [, traceId, spanId, flags] =
    /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/.exec(String(header ?? '')) ?? [];
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags ?? '0', 16),
    isRemote: true,
  });
}
