import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger, systemClock } from '../../base/index.ts';
import type { EncodedBlock, NewestSamples } from '../../store/index.ts';
import type { DoorRequest } from '../doors/index.ts';
import { createIngestService, type IngestService } from '../service.ts';
import { BackPressureError, type RequestMark } from '../sink.ts';
import { createSpoolWriter, type Spool } from '../spool/index.ts';
import { startIngestThread } from './index.ts';

const settings = { maxBodyBytes: 1024 * 1024 };

interface Opened {
  service: IngestService;
  close(): Promise<void>;
}

const nothing: NewestSamples = { newestMs: Number.NEGATIVE_INFINITY, ahead: [] };

const KINDS: Record<string, (append: Spool['append'], recentRequests?: RequestMark[]) => Opened> = {
  'in the same thread': (append, recentRequests = []) => ({
    service: createIngestService({
      settings,
      spool: createSpoolWriter(append, systemClock),
      clock: systemClock,
      logger: silentLogger,
      takenIn: { requests: recentRequests, samples: nothing },
      newestSamples: async () => nothing,
    }),
    close: async () => {},
  }),
  'in a thread of its own': (append, recentRequests = []) => {
    const thread = startIngestThread({
      settings,
      spool: {
        append,
        takenIn: async () => ({ requests: recentRequests, samples: nothing }),
        newestSamples: async () => nothing,
      },
      clock: systemClock,
      logger: silentLogger,
    });
    return { service: thread, close: thread.close };
  },
};

const gauge = (name: string) => {
  const point = { timeUnixNano: `${Date.now()}000000`, asDouble: 7 };
  return Buffer.from(
    JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name, gauge: { dataPoints: [point] } }] }] }] }),
  );
};

function write(body: Buffer): DoorRequest {
  const headers = { 'content-type': 'application/json' };
  return { door: 'otlp-http/metrics', headers, body, sender: '10.0.0.4 otelcol/0.130' };
}

describe.each(Object.entries(KINDS))('the ingest service %s', (_, open) => {
  let opened: Opened | undefined;
  afterEach(() => opened?.close());
  const start = (refusal?: Error, recent?: RequestMark[]) => {
    const appended: { blocks: readonly EncodedBlock[]; request: RequestMark | undefined }[] = [];
    opened = open(async (blocks, request) => {
      if (refusal !== undefined) throw refusal;
      appended.push({ blocks, request });
    }, recent);
    return { service: opened.service, appended };
  };

  it('answers a request when its blocks were taken', async () => {
    const { service, appended } = start();
    const answer = await service.handle(write(gauge('m')));
    expect(answer.status).toBe(200);
    expect(appended.map(({ blocks }) => blocks.map(({ table }) => table))).toEqual([
      ['series', 'samples', 'metric_metadata'],
    ]);
    expect(appended[0]?.request?.hash).toHaveLength(16);
    expect(await service.activeSeries()).toBe(1);
    expect((await service.telemetry()).sources).toMatchObject([{ kind: 'otlp' }]);
    expect(await service.metrics()).toContain('trifocal_ingest_items_total{');
    expect((await service.loopDelay()).maxSeconds).toBeGreaterThanOrEqual(0);
  });

  it('stores a request once that its sender repeats, also when an earlier process answered it', async () => {
    const { service, appended } = start();
    const body = gauge('m');
    const first = await service.handle(write(Buffer.from(body)));
    expect(await service.handle(write(Buffer.from(body)))).toEqual(first);
    expect(appended).toHaveLength(1);
    expect(await service.metrics()).toContain('trifocal_ingest_repeated_total{protocol="otlp"} 1');
    const [before] = appended;
    await opened?.close();

    const next = start(undefined, before?.request && [before.request]);
    expect(await next.service.handle(write(Buffer.from(body)))).toEqual(first);
    expect(next.appended).toHaveLength(0);
    expect((await next.service.handle(write(gauge('other')))).status).toBe(200);
    expect(next.appended).toHaveLength(1);
  });

  it('says what is wrong with a body, and counts it', async () => {
    const { service } = start();
    const answer = await service.handle(write(Buffer.from('nonsense')));
    expect(answer.status).toBe(400);
    expect(Buffer.from(answer.body).toString()).toMatch(/line 1, column 1/);
    expect((await service.telemetry()).dropped).toMatchObject([{ reason: 'unreadable', signal: 'samples' }]);
  });

  it('passes back-pressure on as what it is', async () => {
    const { service } = start(new BackPressureError('the disk is full', 7));
    const answer = await service.handle(write(gauge('m')));
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
    const batch = { metadata: [{ family: 'm', type: 'gauge' as const, help: '', unit: '' }] };
    await expect(service.sink.accept(batch, { protocol: 'scrape' })).rejects.toBeInstanceOf(BackPressureError);
  });

  it('takes batches of receivers that have no door', async () => {
    const { service, appended } = start();
    const samples = {
      series: [{ labels: ['__name__', 'up'], cluster: 'prod-eu' }],
      seriesOf: Uint32Array.of(0),
      timesMs: Float64Array.of(Date.now()),
      values: Float64Array.of(1),
    };
    expect(await service.sink.accept({ samples }, { protocol: 'scrape' })).toEqual({ rejected: [] });
    expect(appended).toHaveLength(1);
  });
});
