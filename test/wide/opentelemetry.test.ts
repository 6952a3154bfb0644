import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter as LogsGrpc } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as LogsHttp } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as MetricsGrpc } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as MetricsHttp } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as TracesGrpc } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as TracesHttp } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import {
  AggregationTemporality,
  AggregationType,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogsResponse, TraceResponse, TracesResponse } from '../../src/api/contract/index.ts';
import { waitFor } from '../programs/process.ts';
import { promql, type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

let server: RunningTrifocal;
beforeAll(async () => {
  server = await startTrifocal();
});
afterAll(() => server.stop());

const get = async <T>(path: string): Promise<T> => (await (await fetch(server.http + path)).json()) as T; // the contract's shapes

const exporters = {
  gRPC: () => {
    const url = `http://${server.otlpGrpc}`;
    return { traces: new TracesGrpc({ url }), metrics: new MetricsGrpc({ url }), logs: new LogsGrpc({ url }) };
  },
  HTTP: () => ({
    traces: new TracesHttp({ url: `${server.otlpHttp}/v1/traces` }),
    metrics: new MetricsHttp({ url: `${server.otlpHttp}/v1/metrics` }),
    logs: new LogsHttp({ url: `${server.otlpHttp}/v1/logs` }),
  }),
};

for (const [transport, make] of Object.entries(exporters)) {
  const service = `otel-${transport.toLowerCase()}`;
  const resource = resourceFromAttributes({
    'service.name': service,
    'k8s.cluster.name': 'prod-eu',
    'k8s.namespace.name': 'inference',
    'k8s.pod.name': `${service}-0`,
  });

  test(`the JavaScript SDK's spans arrive by ${transport}`, async () => {
    const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(make().traces)] });
    const tracer = provider.getTracer('test', '1.2.3');
    const ids = new Set<string>();
    for (let i = 0; i < 500; i++) {
      const span = tracer.startSpan(`work ${i % 5}`, {
        attributes: { index: i, big: Number.MAX_SAFE_INTEGER, ok: true, list: ['a', 'b'] },
      });
      span.addEvent('half way', { step: 1 });
      span.addLink({ context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }, attributes: { i } });
      span.end();
      ids.add(span.spanContext().traceId);
    }
    await provider.forceFlush();
    await provider.shutdown();
    const found = await waitFor('500 traces', async () => {
      const { items } = await get<TracesResponse>(
        `/api/traces?entity=service:prod-eu/-/${service}&from=now-10m&to=now&limit=500`,
      );
      return items.length === 500 ? items : undefined;
    });
    expect(new Set(found.map((trace) => trace.traceId))).toEqual(ids);
    const trace = await get<TraceResponse>(`/api/traces/${[...ids][7]}`);
    expect(trace.spans).toHaveLength(1);
    expect(trace.spans[0]).toMatchObject({
      service,
      name: 'work 2',
      attributes: { index: '7', big: '9007199254740991', ok: 'true' },
    });
    expect(trace.spans[0]?.events[0]).toMatchObject({ name: 'half way', attributes: { step: '1' } });
    expect(trace.spans[0]?.links).toMatchObject([{ traceId: 'a'.repeat(32), attributes: { i: '7' } }]);
    expect(trace.spans[0]?.scope).toMatchObject({ name: 'test', version: '1.2.3' });
  });

  test(`the JavaScript SDK's metrics arrive by ${transport}`, async () => {
    const reader = new PeriodicExportingMetricReader({ exporter: make().metrics, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({ resource, readers: [reader] });
    const meter = provider.getMeter('test');
    const requests = meter.createCounter('app.requests', { description: 'Requests answered' });
    for (const code of ['200', '200', '500']) requests.add(2, { code });
    meter.createObservableGauge('app.queue.depth').addCallback((result) => result.observe(17.5));
    const duration = meter.createHistogram('app.duration', {
      unit: 's',
      advice: { explicitBucketBoundaries: [0.1, 1, 120] },
    });
    for (const seconds of [0.05, 0.5, 0.5, 100, 300]) duration.record(seconds);
    await provider.forceFlush();
    await provider.shutdown();
    const value = (query: string) =>
      waitFor(query, async () => {
        const result = await promql(`${server.http}/prometheus`, query);
        return result.length > 0 ? result.map((series) => Number(series.value?.[1])).sort((a, b) => a - b) : undefined;
      });
    const of = `{job="${service}"`;
    expect(await value(`app_requests_total${of}}`)).toEqual([2, 4]);
    expect(await value(`app_queue_depth${of}}`)).toEqual([17.5]);
    expect(await value(`app_duration_seconds_bucket${of},le=~"0.1|1|1.0|120|120.0|[+]Inf"}`)).toEqual([1, 3, 4, 5]);
    expect(await value(`app_duration_seconds_count${of}}`)).toEqual([5]);
    expect(await value(`app_requests_total${of},k8s_cluster_name="prod-eu",code="500"}`)).toEqual([2]);
    expect(await value(`target_info${of}}`)).toEqual([1]);
  });

  test(`exponential histograms and deltas of the JavaScript SDK arrive by ${transport}`, async () => {
    const temporalityPreference = AggregationTemporality.DELTA;
    const exporter =
      transport === 'gRPC'
        ? new MetricsGrpc({ url: `http://${server.otlpGrpc}`, temporalityPreference })
        : new MetricsHttp({ url: `${server.otlpHttp}/v1/metrics`, temporalityPreference });
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({
      resource,
      readers: [reader],
      views: [{ instrumentName: 'app.latency', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }],
    });
    const meter = provider.getMeter('test');
    const done = meter.createCounter('app.done');
    const latency = meter.createHistogram('app.latency', { unit: 's' });
    for (let round = 0; round < 3; round++) {
      done.add(2);
      for (const seconds of [0.5, 1, 2, 4]) latency.record(seconds);
      await provider.forceFlush();
    }
    await provider.shutdown();
    const reaches = (query: string, expected: number) =>
      waitFor(query, async () => {
        const [series] = await promql(`${server.http}/prometheus`, query);
        return Math.abs(Number(series?.value?.[1]) - expected) < 1e-9 ? true : undefined;
      });
    const of = `{job="${service}"}`;
    await reaches(`app_done_total${of}`, 6);
    await reaches(`histogram_count(app_latency_seconds${of})`, 12);
    await reaches(`histogram_sum(app_latency_seconds${of})`, 22.5);
    await reaches(`histogram_fraction(0, 1, app_latency_seconds${of})`, 0.5);
  });

  test(`the JavaScript SDK's logs arrive by ${transport}`, async () => {
    const provider = new LoggerProvider({
      resource,
      processors: [new BatchLogRecordProcessor({ exporter: make().logs })],
    });
    const logger = provider.getLogger('test');
    for (let i = 0; i < 300; i++) {
      logger.emit({
        body: `line ${i} of the SDK`,
        severityNumber: i % 3 === 0 ? SeverityNumber.ERROR : SeverityNumber.INFO,
        attributes: { i },
      });
    }
    await provider.forceFlush();
    await provider.shutdown();
    const entity = `pod:prod-eu/inference/${service}-0`;
    const lines = await waitFor('300 lines', async () => {
      const { items } = await get<LogsResponse>(`/api/logs?entity=${entity}&from=now-10m&to=now&limit=1000`);
      return items.length === 300 ? items : undefined;
    });
    expect(new Set(lines.map((line) => line.body)).size).toBe(300);
    const errors = await get<LogsResponse>(`/api/logs?entity=${entity}&from=now-10m&to=now&severity=error&limit=1000`);
    expect(errors.items).toHaveLength(100);
  });
}
