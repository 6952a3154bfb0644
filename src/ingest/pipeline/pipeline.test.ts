import { describe, expect, it } from 'vitest';
import { manualClock } from '../../base/index.ts';
import {
  type AttributeValue,
  isStaleAt,
  type LogRecord,
  labelSetFrom,
  nowhere,
  type Place,
  type SampleBatch,
  type Series,
  setStaleAt,
} from '../../model/index.ts';
import { type AcceptedTimes, defaultAcceptedTimes } from './accept-times.ts';
import { placeOf, workloadOfPod } from './enrich.ts';
import {
  type CardinalityLimits,
  createCardinalityLimiter,
  createPipeline,
  createRedactor,
  defaultCardinalityLimits,
} from './index.ts';

const HOUR = 3_600_000;
const now = 1_760_000_000_000;

function start(limits: Partial<CardinalityLimits> = {}, accept: AcceptedTimes = defaultAcceptedTimes) {
  const clock = manualClock(now);
  const limiter = createCardinalityLimiter({ ...defaultCardinalityLimits, ...limits }, clock);
  const pipeline = createPipeline({ clock, accept, redactor: createRedactor(), limiter });
  const push = async (samples: SampleBatch, cluster?: string) =>
    pipeline.run(
      { samples },
      cluster === undefined ? { protocol: 'remote-write' } : { protocol: 'remote-write', cluster },
    );
  return { clock, limiter, pipeline, push };
}

function series(labels: Record<string, string>): Series {
  return { labels: labelSetFrom(labels), cluster: 'unknown' };
}

function samplesOf(...all: [Series, timeMs: number, value: number][]): SampleBatch {
  const unique = [...new Set(all.map(([s]) => s))];
  return {
    series: unique,
    seriesOf: Uint32Array.from(all, ([s]) => unique.indexOf(s)),
    timesMs: Float64Array.from(all, ([, time]) => time),
    values: Float64Array.from(all, ([, , value]) => value),
  };
}

function plain(samples: SampleBatch | undefined) {
  return Array.from(samples?.values ?? [], (value, i) => [
    samples?.series[samples.seriesOf[i] ?? 0]?.labels.join(),
    samples?.timesMs[i],
    value,
  ]);
}

describe('samples', () => {
  it('get the cluster that a label names, else the receiver’s, else unknown', async () => {
    const { push } = start();
    const batch = samplesOf(
      [series({ __name__: 'a', cluster: 'own' }), now, 1],
      [series({ __name__: 'b', k8s_cluster_name: 'otel' }), now, 1],
      [series({ __name__: 'c' }), now, 1],
    );
    expect((await push(batch, 'configured')).batch.samples?.series.map((s) => s.cluster)).toEqual([
      'own',
      'otel',
      'configured',
    ]);
    expect((await push(samplesOf([series({ __name__: 'c' }), now, 1]))).batch.samples?.series[0]?.cluster).toBe(
      'unknown',
    );
  });

  it('of one series from several clusters keep their cluster, as hours pass and clusters come and go', async () => {
    const { push, clock, limiter } = start();
    const one = series({ __name__: 'a' });
    const storedFor = async (cluster: string) =>
      (await push(samplesOf([one, clock.now(), 1]), cluster)).batch.samples?.series[0];
    const rounds = [['a', 'b'], ['b', 'a'], ['b', 'c'], ['c', 'b'], ['c'], ['a', 'b', 'c']];
    const seen = new Map<string, Series | undefined>();
    for (const clusters of rounds) {
      for (const cluster of clusters) {
        const stored = await storedFor(cluster);
        expect(stored?.cluster).toBe(cluster);
        expect(await storedFor(cluster), 'remembered').toBe(stored);
        if (cluster === 'c' && seen.has('c')) expect(stored, 'the same object as an hour ago').toBe(seen.get('c'));
        seen.set(cluster, stored);
      }
      await clock.advance(HOUR);
    }
    await storedFor('a');
    expect(limiter.active()).toBe(3);
  });

  it('that differ only in what is masked stay one series; the other is counted, in later batches too', async () => {
    const { push, clock } = start();
    const of = (password: string) => series({ __name__: 'a', url: `http://u:${password}@h` });
    const first = await push(samplesOf([of('one'), now, 1], [of('two'), now, 2]));
    expect(plain(first.batch.samples).map(([, , value]) => value)).toEqual([1]);
    expect(first.rejected).toMatchObject([
      { reason: 'duplicate_value', count: 1, example: expect.stringContaining('only in what is masked') },
    ]);
    expect((await push(samplesOf([of('two'), now, 3]))).rejected).toMatchObject([{ reason: 'duplicate_value' }]);
    expect((await push(samplesOf([of('one'), now, 4]))).rejected).toEqual([]);
    // Once the first is gone for two generations, its place is free.
    for (let hour = 0; hour < 3; hour++) {
      await clock.advance(HOUR);
      await push(samplesOf([series({ __name__: 'b' }), clock.now(), 1]));
    }
    expect((await push(samplesOf([of('two'), clock.now(), 5]))).rejected).toEqual([]);
  });

  it('outside the accepted times are refused, neighbours kept, bits kept', async () => {
    const { push } = start();
    const a = series({ __name__: 'a' });
    const b = series({ __name__: 'b' });
    const batch = samplesOf([a, now - 8 * 24 * HOUR, 1], [b, now, 2], [a, now + HOUR, 3], [a, now, 0]);
    setStaleAt(batch.values, 3);
    const { batch: kept, rejected } = await push(batch);
    expect(plain(kept.samples)).toEqual([
      ['__name__,b', now, 2],
      ['__name__,a', now, Number.NaN],
    ]);
    expect(kept.samples && isStaleAt(kept.samples.values, 1)).toBe(true);
    expect(rejected).toEqual([
      {
        signal: 'samples',
        reason: 'too_old',
        count: 1,
        example:
          'sample of a has timestamp too old: 2025-10-01T08:53:20.000Z, oldest acceptable timestamp is: 2025-10-02T08:53:20.000Z (ingest.accept.past)',
      },
      { signal: 'samples', reason: 'too_new', count: 1, example: expect.stringContaining('too new') },
    ]);
  });

  it('of epoch 0 and before are taken with past: any', async () => {
    const { push } = start({}, { pastMs: 'any', futureMs: 0 });
    const { batch, rejected } = await push(
      samplesOf([series({ __name__: 'a' }), 0, 1], [series({ __name__: 'a' }), -5, 2]),
    );
    expect(batch.samples?.values).toHaveLength(2);
    expect(rejected).toEqual([]);
  });

  it('of too many or too long labels are refused with their number', async () => {
    const { push } = start({ labels: 2, labelName: 10, labelValue: 5 });
    const { batch, rejected } = await push(
      samplesOf(
        [series({ __name__: 'a', b: '1', c: '2' }), now, 1],
        [series({ __name__: 'a', b: 'longer' }), now, 1],
        [series({ __name__: 'a', verylongname: '1' }), now, 1],
        [series({ __name__: 'a', b: '1' }), now, 4],
      ),
    );
    expect(plain(batch.samples)).toEqual([['__name__,a,b,1', now, 4]]);
    expect(rejected).toEqual([
      {
        signal: 'samples',
        reason: 'limit_labels',
        count: 3,
        example: 'a{b="1", c="2"} has 3 labels, more than 2 (limits.labels)',
      },
    ]);
  });

  it('secrets in labels are hidden before the limit sees them', async () => {
    const { push } = start();
    const { batch } = await push(samplesOf([series({ __name__: 'a', url: 'http://u:p@h' }), now, 1]));
    expect(batch.samples?.series[0]?.labels).toEqual(['__name__', 'a', 'url', 'http://[redacted:url-credentials]@h']);
  });
});

describe('limits of series', () => {
  const numbered = (metric: string, i: number) => series({ __name__: metric, i: String(i) });

  it('per metric: what is active stays, what is new is refused', async () => {
    const { push } = start({ perMetric: 2 });
    const [a0, a1, a2] = [numbered('a', 0), numbered('a', 1), numbered('a', 2)];
    await push(samplesOf([a0, now, 1], [a1, now, 1]));
    const { batch, rejected } = await push(
      samplesOf([a0, now, 1], [a1, now, 1], [a2, now, 1], [a2, now + 1, 1], [numbered('b', 0), now, 1]),
    );
    expect(batch.samples?.series.map((s) => s.labels[1])).toEqual(['a', 'a', 'b']);
    expect(rejected).toEqual([
      {
        signal: 'samples',
        reason: 'limit_series',
        count: 2,
        label: 'i',
        example:
          'a{i="2"} is new, and a of cluster unknown already has 2 active series, the most allowed (limits.perMetric); most values has its label i',
      },
    ]);
  });

  it('in all', async () => {
    const { push, limiter } = start({ series: 3 });
    const { rejected } = await push(
      samplesOf(...[0, 1, 2, 3, 4].map((i): [Series, number, number] => [numbered(`m${i}`, i), now, 1])),
    );
    expect(rejected).toMatchObject([{ reason: 'limit_series', count: 2 }]);
    expect(limiter.active()).toBe(3);
  });

  it('per metric are of one cluster, so that a metric that explodes in one goes on in the others', async () => {
    const { push } = start({ perMetric: 1 });
    await push(samplesOf([numbered('a', 0), now, 1]), 'eu');
    expect((await push(samplesOf([numbered('a', 1), now, 1]), 'eu')).rejected).toHaveLength(1);
    expect((await push(samplesOf([numbered('a', 1), now, 1]), 'us')).rejected).toEqual([]);
  });

  it('per cluster', async () => {
    const { push } = start({ perCluster: 2 });
    const all = [numbered('a', 0), numbered('a', 1), numbered('b', 2)];
    const { rejected } = await push(samplesOf(...all.map((s): [Series, number, number] => [s, now, 1])), 'eu');
    expect(rejected).toMatchObject([
      {
        count: 1,
        label: 'i',
        example:
          'b{i="2"} is new, and cluster eu already has 2 active series, the most allowed (limits.perCluster); most, 2, are of a; most values has its label i',
      },
    ]);
    expect((await push(samplesOf([numbered('b', 2), now, 1]), 'us')).rejected).toEqual([]);
  });

  it('the same labels are one series whatever object holds them, and each cluster has its own', async () => {
    const { push, limiter } = start();
    await push(samplesOf([numbered('a', 0), now, 1]));
    await push(samplesOf([numbered('a', 0), now, 1]));
    expect(limiter.active()).toBe(1);
    await push(samplesOf([numbered('a', 0), now, 1]), 'other');
    expect(limiter.active()).toBe(2);
  });

  it('a series that stopped frees its place within two hours; one that goes on keeps it', async () => {
    const { push, clock } = start({ perMetric: 2 });
    const stays = numbered('a', 0);
    await push(samplesOf([stays, now, 1], [numbered('a', 1), now, 1]));
    const newcomer = numbered('a', 2);
    for (let hour = 1; hour <= 2; hour++) {
      await clock.advance(HOUR);
      const { rejected } = await push(samplesOf([stays, clock.now(), 1], [newcomer, clock.now(), 1]));
      expect(rejected.length).toBe(hour === 1 ? 1 : 0);
    }
  });
});

describe('places', () => {
  const map = (entries: Record<string, AttributeValue>) => new Map(Object.entries(entries));
  const fluentBit = (entries: Record<string, AttributeValue>) =>
    map({ kubernetes: { kind: 'map', entries: map(entries) } });

  it.each<[string, Map<string, AttributeValue>, Partial<Place>]>([
    [
      'OpenTelemetry',
      map({
        'k8s.cluster.name': 'c',
        'k8s.namespace.name': 'n',
        'k8s.pod.name': 'p-0',
        'k8s.container.name': 'k',
        'k8s.node.name': 'gpu-1',
        'k8s.statefulset.name': 'p',
        'service.name': 's',
      }),
      { cluster: 'c', namespace: 'n', pod: 'p-0', container: 'k', node: 'gpu-1', workload: 'p', service: 's' },
    ],
    [
      'Loki index labels',
      map({ k8s_namespace_name: 'n', k8s_pod_name: 'api-7d9f8b6c5d-x2x9p', service_name: 's' }),
      { namespace: 'n', pod: 'api-7d9f8b6c5d-x2x9p', workload: 'api', service: 's' },
    ],
    [
      'an agent',
      map({ cluster: 'c', namespace: 'n', pod: 'llama-0', container: 'k', app: 'llama', node_name: 'gpu-1' }),
      {
        cluster: 'c',
        namespace: 'n',
        pod: 'llama-0',
        container: 'k',
        workload: 'llama',
        service: 'llama',
        node: 'gpu-1',
      },
    ],
    [
      'hand-written scrape labels',
      map({ kubernetes_namespace: 'n', kubernetes_pod_name: 'a-0' }),
      { namespace: 'n', pod: 'a-0' },
    ],
    [
      'Fluent Bit',
      fluentBit({ pod_name: 'dcgm-exporter-8k2zq', namespace_name: 'monitoring', container_name: 'k', host: 'gpu-2' }),
      { namespace: 'monitoring', pod: 'dcgm-exporter-8k2zq', container: 'k', node: 'gpu-2', workload: 'dcgm-exporter' },
    ],
    [
      'Fluent Bit with owners',
      fluentBit({
        pod_name: 'x',
        ownerReferences: [{ kind: 'map', entries: map({ kind: 'ReplicaSet', name: 'web-abc123def' }) }],
      }),
      { workload: 'web' },
    ],
    ['a ReplicaSet', map({ 'k8s.replicaset.name': 'web-7d9f8b6c5d' }), { workload: 'web' }],
    ['a host', map({ 'host.name': 'n1' }), { node: 'n1' }],
    ['nothing', map({}), { cluster: '', pod: '', workload: '', service: '' }],
  ])('%s', (_title, attributes, expected) => {
    expect(placeOf(attributes)).toMatchObject(expected);
  });

  it.each([
    ['api-7d9f8b6c5d-x2x9p', 'api'],
    ['llama-3-70b-5f6d8c9b74-2xkqp', 'llama-3-70b'],
    ['llama-3-70b-0', 'llama-3-70b'],
    ['node-exporter-4x7zk', 'node-exporter'],
    ['backup-29312640-x2xkp', 'backup'],
    ['plain', 'plain'],
    ['', ''],
  ])('the workload of pod "%s" is "%s"', (pod, workload) => {
    expect(workloadOfPod(pod)).toBe(workload);
  });

  it('a record’s own pod counts when its resource has none', async () => {
    const { pipeline } = start();
    const record: LogRecord = {
      timeNs: BigInt(now) * 1_000_000n,
      observedNs: 0n,
      severity: 0,
      severityText: '',
      body: 'x',
      resource: map({ 'k8s.cluster.name': 'c' }),
      attributes: map({ 'k8s.pod.name': 'a-0', 'k8s.namespace.name': 'n' }),
      scope: { name: '', version: '' },
      traceId: '',
      spanId: '',
      flags: 0,
      place: nowhere,
    };
    const { batch } = await pipeline.run({ logs: [record] }, { protocol: 'otlp' });
    expect(batch.logs?.[0]?.place).toEqual({
      cluster: 'c',
      namespace: 'n',
      workload: 'a',
      pod: 'a-0',
      container: '',
      node: '',
      service: '',
    });
  });
});
