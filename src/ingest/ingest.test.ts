import { describe, expect, it } from 'vitest';
import { manualClock, silentLogger } from '../base/index.ts';
import { type LogRecord, nowhere, type SignalBatch } from '../model/index.ts';
import { BackPressureError, createIngest, defaultCardinalityLimits } from './index.ts';

function start() {
  const clock = manualClock(1_760_000_000_000);
  const batches: SignalBatch[] = [];
  let refusal: Error | undefined;
  const ingest = createIngest({
    clock,
    logger: silentLogger,
    spool: {
      async append(batch) {
        if (refusal) throw refusal;
        batches.push(batch);
      },
    },
  });
  const log = (ageMs = 0): LogRecord => ({
    timeNs: BigInt(clock.now() - ageMs) * 1_000_000n,
    observedNs: 0n,
    severity: 0,
    severityText: '',
    body: 'ERROR password=x',
    resource: new Map([['k8s.cluster.name', 'prod-eu']]),
    attributes: new Map(),
    scope: { name: '', version: '' },
    traceId: '',
    spanId: '',
    flags: 0,
    place: nowhere,
  });
  return {
    ...ingest,
    clock,
    batches,
    log,
    send: (ageMs = 0) => ingest.sink.accept({ logs: [log(ageMs)] }, { protocol: 'otlp', bytes: 10 }),
    refuseWith(error: Error | undefined) {
      refusal = error;
    },
  };
}

describe('ingest', () => {
  it('gives the spool redacted, placed signals, and counts them', async () => {
    const { send, batches, metrics } = start();
    expect(await send()).toEqual({ rejected: [] });
    expect(batches[0]?.logs?.[0]).toMatchObject({
      body: 'ERROR password=[redacted:password]',
      severity: 17,
      place: { cluster: 'prod-eu' },
    });
    const text = await metrics.metrics();
    expect(text).toContain('trifocal_ingest_requests_total{signal="logs",protocol="otlp",cluster="prod-eu"} 1');
    expect(text).toContain('trifocal_ingest_items_total{signal="logs",protocol="otlp",cluster="prod-eu"} 1');
    expect(text).toContain('trifocal_ingest_bytes_total{signal="logs",protocol="otlp",cluster="prod-eu"} 10');
  });

  it('does not bother the spool with a batch of which nothing is left', async () => {
    const { send, batches, telemetry } = start();
    const { rejected } = await send(30 * 86_400_000);
    expect(rejected).toMatchObject([{ reason: 'too_old', count: 1 }]);
    expect(batches).toEqual([]);
    expect(telemetry().dropped).toMatchObject([
      { reason: 'too_old', signal: 'logs', count: 1, sinceMs: 1_760_000_000_000 },
    ]);
  });

  it('passes back-pressure on, counts it, and shows the source as refused until it delivers again', async () => {
    const { send, refuseWith, telemetry, metrics } = start();
    await send();
    refuseWith(new BackPressureError('the spool is full', 5));
    await expect(send()).rejects.toThrow('the spool is full');
    expect(telemetry().sources).toContainEqual(
      expect.objectContaining({
        kind: 'otlp',
        state: 'refused',
        message: 'the spool is full; it is asked to try again, so nothing is lost yet',
      }),
    );
    expect(await metrics.metrics()).toContain(
      'trifocal_ingest_dropped_total{signal="logs",protocol="otlp",reason="refused_backpressure"} 1',
    );
    refuseWith(undefined);
    await send();
    expect(telemetry().sources.map(({ state }) => state)).toEqual(['connected']);
  });

  it('limits series as the configuration says when nothing is set', async () => {
    expect(defaultCardinalityLimits).toMatchObject({ series: 1_000_000, perMetric: 100_000, labels: 60 });
    const { sink, clock } = start();
    const labels = ['__name__', 'a', ...Array.from({ length: 60 }, (_, i) => [`l${100 + i}`, 'x']).flat()];
    const samples = {
      series: [{ labels, cluster: '' }],
      seriesOf: Uint32Array.of(0),
      timesMs: Float64Array.of(clock.now()),
      values: Float64Array.of(1),
    };
    expect((await sink.accept({ samples }, { protocol: 'remote-write' })).rejected).toMatchObject([
      { reason: 'limit_labels', example: expect.stringContaining('has 61 labels, more than 60') },
    ]);
  });

  it('redacts the examples of what was dropped', () => {
    const { sink, telemetry } = start();
    sink.drop(
      { signal: 'logs', reason: 'invalid', count: 2, example: 'bad line password=hunter2' },
      { protocol: 'loki' },
    );
    expect(telemetry().dropped[0]?.example).toBe('bad line password=[redacted:password]');
  });

  it('knows each source’s rate, lag, silence and gaps', async () => {
    const { send, clock, telemetry } = start();
    const source = () => telemetry().sources[0];
    for (let i = 0; i < 20; i++) {
      await send(2000);
      await clock.advance(5000);
    }
    expect(source()).toMatchObject({ cluster: 'prod-eu', kind: 'otlp', state: 'connected', lagSeconds: 2, gaps: 0 });
    expect(source()?.perSecond).toBeCloseTo(0.2, 1);
    await clock.advance(200_000);
    expect(source()).toMatchObject({ state: 'silent', perSecond: 0 });
    await send(300_000);
    expect(source()).toMatchObject({ state: 'lagging', gaps: 1, lagSeconds: 300 });
  });
});
