import { describe, expect, it } from 'vitest';
import { isStaleAt } from '../../../model/index.ts';
import { nowMs, nowNs, sampleLines } from '../contract.ts';
import { ProtoWriter } from '../wire/index.ts';
import { createDeltaTotals } from './delta.ts';
import { labelName, metricName, plainNumber } from './naming.ts';
import { decodeMetricsProtobuf } from './protobuf-metrics.ts';
import { exportRequest, gauge, histogram, metric, numberPoint, sum, summary } from './testdata.ts';
import { createTranslator } from './translate.ts';

const RESOURCE = {
  'service.name': 'api',
  'service.namespace': 'shop',
  'service.instance.id': 'i-1',
  'host.arch': 'amd64',
};

async function translate(
  metrics: ProtoWriter[],
  resource: Record<string, string> = RESOURCE,
  deltas = createDeltaTotals(),
) {
  const decoded = await decodeMetricsProtobuf(exportRequest(resource, metrics));
  return deltas.take((turn) => createTranslator()(decoded, turn));
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

  it('leaves out exponential histograms, unnamed metrics, sums without temporality, and says so', async () => {
    const exponential = metric('e', '', 10, new ProtoWriter().bytes(1, new ProtoWriter()).bytes(1, new ProtoWriter()));
    const {
      samples,
      invalid,
      exponential: counted,
    } = await translate([
      exponential,
      gauge('', '', numberPoint(nowNs, 1)),
      sum('s', '', 0, true, numberPoint(nowNs, 1)),
    ]);
    expect(samples.values).toHaveLength(0);
    expect(invalid).toMatchObject({ count: 2, example: 'a metric has no name' });
    expect(counted).toMatchObject({ count: 2, example: 'exponential histograms are not kept yet: e' });
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
  const second = 1_000_000_000n;

  it('adds up per stream', async () => {
    const deltas = createDeltaTotals();
    const values: (number | undefined)[] = [];
    for (const [i, value] of [5n, 7n, 0n, 1n].entries()) {
      const { samples } = await translate([delta(nowNs + BigInt(i) * second, value)], RESOURCE, deltas);
      values.push(samples.values[0]);
    }
    expect(values).toEqual([5, 12, 12, 13]);
  });

  it('adds up histograms bucket by bucket', async () => {
    const deltas = createDeltaTotals();
    const point = { timeNs: nowNs, count: 3n, sum: 2, counts: [1n, 2n], bounds: [1] };
    await translate([histogram('h', '', 1, point)], RESOURCE, deltas);
    const { samples } = await translate(
      [histogram('h', '', 1, { ...point, timeNs: nowNs + second })],
      RESOURCE,
      deltas,
    );
    expect([...samples.values.slice(0, 4)]).toEqual([4, 6, 2, 6]);
  });

  it('forgets what was not stored, so that a retry does not count twice', async () => {
    const deltas = createDeltaTotals();
    const decoded = await decodeMetricsProtobuf(exportRequest(RESOURCE, [delta(nowNs, 5n)]));
    const refused = deltas.take(async (turn) => {
      await createTranslator()(decoded, turn);
      throw new Error('busy');
    });
    await expect(refused).rejects.toThrow('busy');
    const { samples } = await deltas.take((turn) => createTranslator()(decoded, turn));
    expect(samples.values[0]).toBe(5);
  });

  it('refuses a point that is not newer than the last of its stream', async () => {
    const deltas = createDeltaTotals();
    await translate([delta(nowNs, 5n)], RESOURCE, deltas);
    const { invalid } = await translate([delta(nowNs, 5n)], RESOURCE, deltas);
    expect(invalid.count).toBe(1);
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
