import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLabels, isStaleAt, labelValue } from '../../../model/index.ts';
import { nowMs, nowNs, sampleLines } from '../contract.ts';
import type { ProtoWriter } from '../wire/index.ts';
import { addExponential, toNative } from './exponential.ts';
import { labelName, metricName, plainNumber } from './naming.ts';
import { decodeMetricsProtobuf } from './protobuf-metrics.ts';
import {
  exemplar,
  exponential,
  exportRequest,
  gauge,
  histogram,
  keyValues,
  numberPoint,
  type Plain,
  type PlainExponential,
  sum,
  summary,
} from './testdata.ts';
import { createTranslator } from './translate.ts';

const RESOURCE = {
  'service.name': 'api',
  'service.namespace': 'shop',
  'service.instance.id': 'i-1',
  'host.arch': 'amd64',
};

async function translate(
  metrics: ProtoWriter[],
  resource: Record<string, Plain> = RESOURCE,
  translator = createTranslator(),
) {
  const decoded = await decodeMetricsProtobuf(exportRequest(resource, metrics));
  return translator.translate(decoded, async (translation) => translation);
}

const ID = 'instance="i-1", job="shop/api"';
const at = `@${nowMs}`;
const targetInfo = `target_info{host_arch="amd64", ${ID}} 1 ${at}`;

describe('OTLP metrics as Prometheus series', () => {
  it('gauge, with job, instance and target_info', async () => {
    const { samples, metadata } = await translate([
      gauge('system.memory.usage', 'By', numberPoint(nowNs, 5, { state: 'used' })),
    ]);
    expect(sampleLines([{ samples }])).toEqual([`system_memory_usage_bytes{${ID}, state="used"} 5 ${at}`, targetInfo]);
    expect(metadata).toEqual([
      { family: 'system_memory_usage_bytes', type: 'gauge', help: 'about system.memory.usage', unit: 'By' },
      { family: 'target_info', type: 'gauge', help: 'Target metadata', unit: '' },
    ]);
  });

  it('cumulative sum, monotonic and not', async () => {
    const { samples, metadata } = await translate([
      sum('http.requests', '1', 2, true, numberPoint(nowNs, 3n)),
      sum('queue.size', '1', 2, false, numberPoint(nowNs, -3n)),
    ]);
    expect(sampleLines([{ samples }])).toEqual([
      `http_requests_total{${ID}} 3 ${at}`,
      `queue_size{${ID}} -3 ${at}`,
      targetInfo,
    ]);
    expect(metadata.map(({ type }) => type)).toEqual(['counter', 'gauge', 'gauge']);
  });

  it('histogram', async () => {
    const { samples } = await translate([
      histogram('ttft', 's', 2, {
        timeNs: nowNs,
        count: 6n,
        sum: 12.5,
        counts: [1n, 2n, 3n],
        bounds: [0.5, 120],
        attributes: { model: 'q' },
      }),
    ]);
    expect(sampleLines([{ samples }])).toEqual([
      `ttft_seconds_sum{${ID}, model="q"} 12.5 ${at}`,
      `ttft_seconds_count{${ID}, model="q"} 6 ${at}`,
      `ttft_seconds_bucket{${ID}, le="0.5", model="q"} 1 ${at}`,
      `ttft_seconds_bucket{${ID}, le="120", model="q"} 3 ${at}`,
      `ttft_seconds_bucket{${ID}, le="+Inf", model="q"} 6 ${at}`,
      targetInfo,
    ]);
  });

  it('summary', async () => {
    const { samples } = await translate([
      summary('rpc', 'ms', nowNs, 2n, 3, [
        [0.5, 1],
        [0.99, 2],
      ]),
    ]);
    expect(sampleLines([{ samples }])).toEqual([
      `rpc_milliseconds_sum{${ID}} 3 ${at}`,
      `rpc_milliseconds_count{${ID}} 2 ${at}`,
      `rpc_milliseconds{${ID}, quantile="0.5"} 1 ${at}`,
      `rpc_milliseconds{${ID}, quantile="0.99"} 2 ${at}`,
      targetInfo,
    ]);
  });

  it('a point without a value is a stale marker', async () => {
    const { samples } = await translate([gauge('a', '', numberPoint(nowNs, 0, {}, 1))]);
    expect(isStaleAt(samples.values, 0)).toBe(true);
  });

  it('promotes the agreed resource attributes and joins attributes that become one label', async () => {
    const { samples } = await translate(
      [gauge('a', '', numberPoint(nowNs, 1, { 'b.c': 'x', b_c: 'y', empty: '', '1st': 'z' }))],
      {
        ...RESOURCE,
        'k8s.pod.name': 'p',
        'service.version': '2',
      },
    );
    expect(sampleLines([{ samples }])[0]).toBe(
      `a{b_c="x;y", ${ID}, k8s_pod_name="p", key_1st="z", service_version="2"} 1 ${at}`,
    );
  });

  it('points are of one series only when all of their attributes are equal', async () => {
    const attributes = [
      { a: 'x' },
      { a: 'x', b: 'y' },
      { a: 'x\u0000b\u0001y' },
      { a: 'x1,1,by' },
      { ax: '' },
      { a: 'x', b: '' },
    ];
    const points = attributes.map((one, i) => numberPoint(nowNs, i, one));
    const { samples } = await translate([gauge('g', '', ...points)], {});
    const labels = samples.series.map((series) => formatLabels(series.labels));
    expect(labels).toHaveLength(5);
    expect(new Set(labels).size).toBe(5);
    expect([...samples.seriesOf]).toEqual([0, 1, 2, 3, 4, 0]);
  });

  it('has no target_info for a resource that nothing identifies or that says nothing else', async () => {
    for (const resource of [{ 'host.arch': 'amd64' }, { 'service.name': 'api' }]) {
      const { samples } = await translate([gauge('a', '', numberPoint(nowNs, 1))], resource);
      expect(samples.values).toHaveLength(1);
    }
  });

  it('repeats target_info often enough never to be stale between the first and the last point', async () => {
    const points = [numberPoint(nowNs - 400_000_000_000n, 1), numberPoint(nowNs, 2)];
    const { samples } = await translate([gauge('a', '', ...points)]);
    const times = sampleLines([{ samples }])
      .filter((line) => line.startsWith('target_info'))
      .map((line) => Number(line.split('@')[1]) - nowMs);
    expect(times).toEqual([-400_000, -250_000, -100_000, 0]);
  });

  it('leaves out unnamed metrics, points without time, and sums without temporality, and says so', async () => {
    const { samples, invalid } = await translate([
      gauge('', '', numberPoint(nowNs, 1)),
      gauge('g', '', numberPoint(0n, 1)),
      sum('s', '', 0, true, numberPoint(nowNs, 1)),
      exponential('e', '', 0, { timeNs: nowNs, count: 1n, scale: 0 }),
    ]);
    expect(samples.values).toHaveLength(0);
    expect(invalid).toMatchObject({ count: 4, example: 'a metric has no name' });
  });

  it('refuses a histogram point whose counts and bounds do not fit, and keeps its neighbour', async () => {
    const bad = { timeNs: nowNs, count: 1n, sum: 1, counts: [1n], bounds: [1, 2] };
    const { samples, invalid } = await translate([histogram('h', '', 2, bad, { ...bad, bounds: [] })]);
    expect(invalid).toMatchObject({ count: 1, example: 'a point of h has 1 bucket counts for 2 bounds' });
    expect(sampleLines([{ samples }])).toHaveLength(4);
  });
});

describe('delta temporality', () => {
  const delta = (timeNs: bigint, value: bigint) => sum('hits', '', 1, true, numberPoint(timeNs, value, { a: 'b' }));

  it('adds up per stream', async () => {
    const translator = createTranslator();
    const values: (number | undefined)[] = [];
    for (const [i, value] of [5n, 7n, 0n, 1n].entries()) {
      const { samples } = await translate([delta(nowNs + BigInt(i) * second, value)], RESOURCE, translator);
      values.push(samples.values[0]);
    }
    expect(values).toEqual([5, 12, 12, 13]);
  });

  it('adds up histograms bucket by bucket', async () => {
    const translator = createTranslator();
    const point = { timeNs: nowNs, count: 3n, sum: 2, counts: [1n, 2n], bounds: [1] };
    await translate([histogram('h', '', 1, point)], RESOURCE, translator);
    const { samples } = await translate(
      [histogram('h', '', 1, { ...point, timeNs: nowNs + second })],
      RESOURCE,
      translator,
    );
    expect([...samples.values.slice(0, 4)]).toEqual([4, 6, 2, 6]);
  });

  it('forgets what was not stored, so that a retry does not count twice', async () => {
    const translator = createTranslator();
    const decoded = await decodeMetricsProtobuf(exportRequest(RESOURCE, [delta(nowNs, 5n)]));
    const refused = translator.translate(decoded, async () => {
      throw new Error('busy');
    });
    await expect(refused).rejects.toThrow('busy');
    const { samples } = await translator.translate(decoded, async (translation) => translation);
    expect(samples.values[0]).toBe(5);
  });

  it('waits for nobody but who writes the same series', async () => {
    const translator = createTranslator();
    const begin = async (instance: string, step: number, job?: string) => {
      const resource = { ...(job === undefined ? { 'service.name': 's' } : {}), 'service.instance.id': instance };
      const point = numberPoint(nowNs + BigInt(step) * second, 5, job === undefined ? {} : { job });
      const decoded = await decodeMetricsProtobuf(exportRequest(resource, [sum('hits', '', 1, true, point)]));
      let finish: (outcome: 'stored' | 'busy') => void = () => {};
      const outcome = new Promise<'stored' | 'busy'>((resolve) => {
        finish = resolve;
      });
      const request: { total?: number | undefined; finish: typeof finish } = { finish };
      const answered = translator.translate(decoded, async ({ samples }) => {
        request.total = samples.values[0];
        if ((await outcome) === 'busy') throw new Error('busy');
      });
      return { request, answered };
    };
    const first = await begin('a', 0);
    const same = await begin('a', 1);
    const sameByItsPoint = await begin('a', 2, 's');
    const other = await begin('b', 0);
    await expect.poll(() => other.request.total).toBe(5);
    expect(first.request.total).toBe(5);
    expect([same.request.total, sameByItsPoint.request.total]).toEqual([undefined, undefined]);
    first.request.finish('busy');
    await expect(first.answered).rejects.toThrow('busy');
    await expect.poll(() => same.request.total).toBe(5);
    same.request.finish('stored');
    await expect.poll(() => sameByItsPoint.request.total).toBe(10);
    for (const { request, answered } of [same, sameByItsPoint, other]) {
      request.finish('stored');
      await answered;
    }
  });

  it('refuses a point that is not newer than the last of its stream', async () => {
    const translator = createTranslator();
    await translate([delta(nowNs, 5n)], RESOURCE, translator);
    const { invalid } = await translate([delta(nowNs, 5n)], RESOURCE, translator);
    expect(invalid.count).toBe(1);
  });
});

const second = 1_000_000_000n;
const TRACE = '5b8efff798038103d269b633813fc60c';

describe('exponential histograms', () => {
  const native = async (...points: PlainExponential[]) => {
    const { histograms, invalid } = await translate([exponential('ttft', 's', 2, ...points)]);
    return { histograms, invalid, value: histograms.values[0] };
  };

  it('are native histograms, whose buckets are numbered by their upper bounds', async () => {
    const { histograms, value } = await native({
      timeNs: nowNs,
      startNs: nowNs - second,
      count: 17n,
      sum: 12.5,
      scale: 3,
      zeroCount: 2n,
      zeroThreshold: 0.001,
      positive: { offset: -2, counts: [1, 0, 0, 3, 0, 0, 0, 4] },
      negative: { offset: 0, counts: [0, 7] },
      attributes: { model: 'q' },
    });
    expect(formatLabels(histograms.series[0]?.labels ?? [])).toBe(`ttft_seconds{${ID}, model="q"}`);
    expect([histograms.timesMs[0], histograms.startsMs?.[0]]).toEqual([nowMs, nowMs - 1000]);
    expect(value).toEqual({
      schema: 3,
      integer: true,
      resetHint: 'unknown',
      stale: false,
      count: 17,
      sum: 12.5,
      zeroCount: 2,
      zeroThreshold: 0.001,
      positive: {
        spans: [
          { offset: -1, length: 4 },
          { offset: 3, length: 1 },
        ],
        counts: [1, 0, 0, 3, 4],
      },
      negative: { spans: [{ offset: 2, length: 1 }], counts: [7] },
      customBounds: [],
    });
  });

  it.each([
    // Factor 4: indexes -5…2 become -2 -1 -1 -1 -1 0 0 0, then one more.
    [
      10,
      8,
      { offset: -5, counts: [1, 2, 3, 4, 5, 6, 7, 8] },
      { spans: [{ offset: -1, length: 3 }], counts: [1, 14, 21] },
    ],
    [20, 8, { offset: 2 ** 30, counts: [1, 1] }, { spans: [{ offset: 2 ** 18 + 1, length: 1 }], counts: [2] }],
    [8, 8, { offset: 0, counts: [1] }, { spans: [{ offset: 1, length: 1 }], counts: [1] }],
    [-4, -4, { offset: -3, counts: [1] }, { spans: [{ offset: -2, length: 1 }], counts: [1] }],
  ])('at scale %d have schema %d', async (scale, schema, positive, expected) => {
    const count = BigInt(positive.counts.reduce((all, one) => all + one, 0));
    const { value } = await native({ timeNs: nowNs, count, scale, positive });
    expect(value).toMatchObject({ schema, positive: expected, zeroThreshold: 1e-128, sum: 0 });
  });

  it.each([
    [{ scale: -5 }, 'a point of ttft_seconds: scale -5 is below -4'],
    [
      { positive: { offset: 0, counts: [2] } },
      'a point of ttft_seconds: 2 observations found in buckets, but the Count field is 1',
    ],
    [
      { positive: { offset: 0, counts: [] } },
      'a point of ttft_seconds: 0 observations found in buckets, but the Count field is 1',
    ],
  ])('that cannot be kept are refused alone: %j', async (bad, example) => {
    const good = { timeNs: nowNs, count: 1n, scale: 0, positive: { offset: 0, counts: [1] } };
    const { invalid, histograms } = await native({ ...good, ...bad }, { ...good, attributes: { a: 'b' } });
    expect(invalid).toMatchObject({ count: 1, example: expect.stringContaining(example) });
    expect(histograms.values).toHaveLength(1);
  });

  it('of delta temporality add up, at the resolution of the coarser', async () => {
    const translator = createTranslator();
    const send = async (i: number, point: Omit<PlainExponential, 'timeNs' | 'startNs'>) => {
      const times = { startNs: nowNs + BigInt(i) * second, timeNs: nowNs + BigInt(i + 1) * second };
      const { histograms } = await translate([exponential('h', '', 1, { ...times, ...point })], RESOURCE, translator);
      return { value: histograms.values[0], startMs: histograms.startsMs?.[0] };
    };
    await send(0, { count: 3n, sum: 1, scale: 1, positive: { offset: 0, counts: [1, 1] }, zeroCount: 1n });
    const { value, startMs } = await send(1, { count: 3n, sum: 2, scale: 0, positive: { offset: -1, counts: [1, 2] } });
    expect(startMs).toBe(nowMs);
    expect(value).toMatchObject({ schema: 0, count: 6, sum: 3, zeroCount: 1 });
    expect(value?.positive).toEqual({ spans: [{ offset: 0, length: 2 }], counts: [1, 4] });
    const far = await send(2, { count: 1n, sum: 1e300, scale: 0, positive: { offset: 900, counts: [1] } });
    expect(far.value).toMatchObject({ schema: -2, count: 7 });
  });

  it('any two add up to all of their observations in at most 320 buckets a side', () => {
    const side = fc.record({
      offset: fc.integer({ min: -1000, max: 1000 }),
      counts: fc.array(fc.nat(9), { maxLength: 20 }),
    });
    const point = fc
      .record({ scale: fc.integer({ min: -4, max: 20 }), positive: side, negative: side, zeroCount: fc.nat(9) })
      .map(({ scale, positive, negative, zeroCount }) => ({
        scale,
        positive: { ...positive, offset: Math.floor(positive.offset * 2 ** scale) },
        negative: { ...negative, offset: Math.floor(negative.offset * 2 ** scale) },
        zeroCount,
        count: 0,
        sum: 1,
        zeroThreshold: 0,
      }));
    const all = (buckets: { counts: readonly number[] }) => buckets.counts.reduce((sum, count) => sum + count, 0);
    fc.assert(
      fc.property(point, point, (a, b) => {
        const both = addExponential(a, b);
        const result = toNative(both);
        expect(all(result.positive)).toBe(all(a.positive) + all(b.positive));
        expect(all(result.negative)).toBe(all(a.negative) + all(b.negative));
        expect(Math.max(both.positive.counts.length, both.negative.counts.length)).toBeLessThanOrEqual(320);
        for (const { spans, counts } of [result.positive, result.negative]) {
          expect(spans.reduce((sum, span) => sum + span.length, 0)).toBe(counts.length);
          expect(spans.slice(1).every((span) => span.offset > 2)).toBe(true);
        }
      }),
    );
  });
});

describe('start times, exemplars, writers', () => {
  it('start times are kept where values count from a beginning', async () => {
    const started = (writer: ProtoWriter) => writer.fixed64(2, nowNs - second);
    const { samples } = await translate([
      sum('hits', '', 2, true, started(numberPoint(nowNs, 3))),
      sum('size', '', 2, false, started(numberPoint(nowNs, 3))),
      gauge('g', '', started(numberPoint(nowNs, 3))),
      sum('later', '', 2, true, numberPoint(nowNs, 3).fixed64(2, nowNs + second)),
    ]);
    expect([...(samples.startsMs ?? [])]).toEqual([nowMs - 1000, NaN, NaN, NaN, NaN]);
    const deltas = createTranslator();
    for (const i of [0n, 1n]) {
      const point = numberPoint(nowNs + (i + 1n) * second, 1).fixed64(2, nowNs + i * second);
      const result = await translate([sum('hits', '', 1, true, point)], RESOURCE, deltas);
      expect(result.samples.startsMs?.[0]).toBe(nowMs);
    }
  });

  it('exemplars name their trace, beside the bucket they fell into', async () => {
    const ids = { traceId: TRACE, spanId: 'eee19b7ec3c1b174' };
    const point = numberPoint(nowNs, 3).bytes(5, keyValues(7, { user: 'u' }, exemplar(1, ids, nowNs - second)));
    const { exemplars } = await translate([
      sum('hits', '', 2, true, point),
      histogram('h', '', 2, {
        timeNs: nowNs,
        count: 1n,
        sum: 1,
        counts: [1n, 0n],
        bounds: [1],
        exemplars: [exemplar(0.5, ids), exemplar(2, { traceId: '00' })],
      }),
      exponential('e', '', 2, { timeNs: nowNs, count: 1n, zeroCount: 1n, scale: 0, exemplars: [exemplar(7, ids)] }),
    ]);
    const about = (labels: readonly string[]) => formatLabels(labels).replace(ID, '');
    const found = exemplars.map((one) => [
      about(one.series.labels),
      one.value,
      one.timeMs - nowMs,
      formatLabels(one.labels),
    ]);
    const trace = `span_id="${ids.spanId}", trace_id="${TRACE}"`;
    expect(found).toEqual([
      ['hits_total{}', 1, -1000, `{${trace}, user="u"}`],
      ['h_bucket{, le="1"}', 0.5, 0, `{${trace}}`],
      ['h_bucket{, le="+Inf"}', 2, 0, '{}'],
      ['e{}', 7, 0, `{${trace}}`],
    ]);
  });

  it.each<[string, Record<string, Plain>, string]>([
    ['host and process', { 'host.name': 'n1', 'process.pid': 7n }, 'n1:7'],
    ['a host', { 'host.name': 'n1' }, 'n1'],
    ['a container', { 'container.id': 'abc', 'host.name': 'n1' }, 'abc'],
    ['a pod', { 'k8s.pod.name': 'p-0' }, ''],
    ['a process in a pod', { 'k8s.pod.name': 'p-0', 'process.pid': 7n }, 'p-0:7'],
    ['an instance id', { 'service.instance.id': 'i', 'host.name': 'n1', 'process.pid': 7n }, 'i'],
    ['nothing', {}, ''],
  ])('the instance of %s', async (_title, attributes, instance) => {
    const { samples } = await translate([gauge('a', '', numberPoint(nowNs, 1))], {
      'service.name': 's',
      ...attributes,
    });
    expect(labelValue(samples.series[0]?.labels ?? [], 'instance')).toBe(instance);
  });

  it('two senders of one series are not mixed: the newer is kept, the older counted', async () => {
    const translator = createTranslator();
    const send = async (uid: string, atSeconds: number) => {
      const point = numberPoint(nowNs + BigInt(atSeconds) * second, 1);
      const resource = { 'service.name': 's', 'k8s.pod.name': 'p-0', 'k8s.pod.uid': uid };
      const { samples, doubled } = await translate([sum('hits', '', 2, true, point)], resource, translator);
      if (doubled.count > 0) expect(doubled.example).toMatch(/^two senders write hits_total\{.*service.instance.id/);
      return samples.values.length > 0;
    };
    expect(await send('a', 0)).toBe(true);
    expect(await send('b', 10)).toBe(true);
    expect(await send('a', 11)).toBe(false);
    expect(await send('b', 20)).toBe(true);
    expect(await send('a', 300)).toBe(false);
    expect(await send('a', 321)).toBe(true);
    expect(await send('b', 322)).toBe(true);
  });

  it('deltas of senders that are one series add up, and never go back in time', async () => {
    const translator = createTranslator();
    const send = async (uid: string, atMs: number) => {
      const point = numberPoint(nowNs + BigInt(atMs) * 1_000_000n, 5);
      const resource = { 'service.name': 's', 'k8s.pod.name': 'p-0', 'k8s.pod.uid': uid };
      const { samples } = await translate([sum('hits', '', 1, true, point)], resource, translator);
      return [samples.values[0], (samples.timesMs[0] ?? 0) - nowMs];
    };
    expect([await send('a', 10), await send('b', 5), await send('a', 20)]).toEqual([
      [5, 10],
      [10, 11],
      [15, 20],
    ]);
  });
});

describe('names', () => {
  it.each([
    ['http.server.request.duration', 's', 'other', 'http_server_request_duration_seconds'],
    ['system.cpu.utilization', '1', 'gauge', 'system_cpu_utilization_ratio'],
    ['system.cpu.utilization', '1', 'other', 'system_cpu_utilization'],
    ['requests.total', '1', 'monotonic', 'requests_total'],
    ['total.requests', '', 'monotonic', 'requests_total'],
    ['jvm.memory.bytes', 'By', 'gauge', 'jvm_memory_bytes'],
    ['speed', 'm/s', 'gauge', 'speed_meters_per_second'],
    ['rate', '{request}/s', 'gauge', 'rate_per_second'],
    ['rate.per.second', '1/s', 'gauge', 'rate_per_second'],
    ['gen_ai.client.token.usage', '{token}', 'other', 'gen_ai_client_token_usage'],
    ['vllm:time_to_first_token_seconds', 's', 'other', 'vllm:time_to_first_token_seconds'],
    ['2xx', '', 'gauge', '_2xx'],
    ['a__b', '', 'gauge', 'a_b'],
    ['disk', '%', 'gauge', 'disk_percent'],
    ['fan', 'rpm', 'gauge', 'fan_rpm'],
  ] as const)('%s in %s as %s is %s', (name, unit, kind, expected) => {
    expect(metricName(name, unit, kind)).toBe(expected);
  });

  it.each([
    ['http.method', 'http_method'],
    ['1st', 'key_1st'],
    ['_private', 'key_private'],
    ['__reserved', '__reserved'],
    ['a..b', 'a__b'],
    ['größe', 'gr__e'],
    ['😀', '_'.padStart(4, 'key')],
  ])('label %s is %s', (attribute, expected) => {
    expect(labelName(attribute)).toBe(expected);
  });

  it.each([
    [0.005, '0.005'],
    [10, '10'],
    [1e-7, '0.0000001'],
    [1.5e-9, '0.0000000015'],
    [1e21, '1000000000000000000000'],
    [-1.25e22, '-12500000000000000000000'],
    [Number.POSITIVE_INFINITY, '+Inf'],
  ])('%d is written %s', (value, expected) => {
    expect(plainNumber(value)).toBe(expected);
  });
});
