import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manualClock } from '../../base/index.ts';
import {
  type Attributes,
  type AttributeValue,
  CUSTOM_BOUNDS_SCHEMA,
  type LogRecord,
  type NativeHistogram,
  noBuckets,
  type Place,
  type SignalBatch,
  type Span,
  setStaleAt,
  staleHistogram,
} from '../../model/index.ts';
import type { ColumnValue } from '../clickhouse/port.ts';
import { selectRows } from '../clickhouse/rows.ts';
import type { Store } from '../store.ts';
import { openEmbedded, temporaryFolder } from '../testing.ts';
import { type BatchEncoder, createBatchEncoder } from './encoder.ts';

const place: Place = {
  cluster: 'prod-eu',
  namespace: 'inference',
  workload: 'llama',
  pod: 'llama-0',
  container: 'vllm',
  node: 'gpu-1',
  service: 'llama-3-70b',
};
const scope = {
  name: 'vllm',
  version: '1.0',
  attributes: new Map([['build', 7n]]),
  schemaUrl: 'https://opentelemetry.io/schemas/1.37.0',
};
const typed: Attributes = new Map<string, AttributeValue>([
  ['text', 'ü "quoted" \u0000 end'],
  ['big', 9_223_372_036_854_775_807n],
  ['real', 0.1],
  ['yes', true],
  ['nothing', null],
  ['bytes', Uint8Array.of(1, 2, 255)],
]);
const typedTexts = new Map([
  ['text', 'ü "quoted" \u0000 end'],
  ['big', '9223372036854775807'],
  ['real', '0.1'],
  ['yes', 'true'],
  ['nothing', ''],
  ['bytes', 'AQL/'],
]);
const types = new Map([
  ['big', 'int'],
  ['real', 'double'],
  ['yes', 'bool'],
  ['nothing', 'null'],
  ['bytes', 'bytes'],
]);

describe('batches in the store', () => {
  let store: Store;
  let encoder: BatchEncoder;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let inserted = 0;
  beforeAll(async () => {
    folder = await temporaryFolder();
    store = await openEmbedded(join(folder.path, 'engine'));
    encoder = createBatchEncoder(manualClock(1_767_225_600_000));
  });
  afterAll(async () => {
    await store?.close();
    await folder.remove();
  });

  const limits = { seconds: 20, memoryBytes: 2 ** 29 };
  const keep = async (batch: SignalBatch) => {
    const encoded = encoder.encode(batch);
    for (const { table, block } of encoded.blocks) {
      const file = join(folder.path, `${inserted++}.native`);
      await writeFile(file, block);
      await store.port.insertSegment({ table, file, token: `t${inserted}` }, { limits });
    }
    encoded.stored();
  };
  const rows = (text: string) => selectRows(store.port, { text, params: {} }, { limits });

  test('a log record keeps every field', async () => {
    const log: LogRecord = {
      timeNs: 1_767_225_600_123_456_789n,
      observedNs: 1_767_225_600_123_456_790n,
      severity: 17,
      severityText: 'ERROR',
      body: 'CUDA error: ü\nsecond line',
      resource: new Map([['service.name', 'llama-3-70b']]),
      attributes: typed,
      scope,
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      spanId: '00f067aa0ba902b7',
      flags: 1,
      place,
    };
    const bare: LogRecord = {
      ...log,
      timeNs: -1n,
      traceId: '',
      spanId: '',
      attributes: new Map(),
      resource: new Map(),
    };
    await keep({ logs: [log, bare, log] });
    const found = await rows('SELECT * EXCEPT stream_id FROM logs ORDER BY time LIMIT 1 BY stream_id, time, body');
    const shared = {
      ...place,
      observed: log.observedNs,
      severity: 17,
      severity_text: 'ERROR',
      body: log.body,
      flags: 1,
      scope_name: 'vllm',
      scope_version: '1.0',
      scope_attributes: new Map([['build', '7']]),
      schema_url: scope.schemaUrl,
      resource_types: new Map(),
    };
    expect(found).toEqual([
      {
        ...shared,
        time: -1n,
        trace_id: new Uint8Array(16),
        span_id: new Uint8Array(8),
        attributes: new Map(),
        attribute_types: new Map(),
        resource: new Map(),
      },
      {
        ...shared,
        time: log.timeNs,
        trace_id: bytes(log.traceId),
        span_id: bytes(log.spanId),
        attributes: typedTexts,
        attribute_types: types,
        resource: log.resource,
      },
    ]);
    const words = await rows(
      `SELECT time FROM logs WHERE hasAllTokens(body, 'cuda') AND has(attribute_items, 'real=0.1')`,
    );
    expect(words).toHaveLength(2);
  });

  test('a span keeps every field, and its trace is found by id', async () => {
    const span: Span = {
      traceId: '4bf92f3577b34da6a3ce929d0e0e4737',
      spanId: '00f067aa0ba902b8',
      parentSpanId: '00f067aa0ba902b9',
      name: 'POST /v1/chat/completions',
      kind: 'server',
      startNs: 1_767_225_600_123_456_789n,
      endNs: 1_767_225_602_123_456_789n,
      status: 'error',
      statusMessage: 'timeout',
      resource: new Map([['service.name', 'gateway']]),
      attributes: typed,
      scope,
      events: [
        { timeNs: 1_767_225_601_000_000_001n, name: 'first token', attributes: new Map([['index', 1n]]) },
        { timeNs: 1_767_225_601_000_000_002n, name: 'retry', attributes: new Map() },
      ],
      links: [
        {
          traceId: '0af7651916cd43dd8448eb211c80319c',
          spanId: 'b7ad6b7169203331',
          traceState: 'vendor=1',
          flags: 257,
          attributes: new Map([['a', 'b']]),
        },
      ],
      traceState: 'k=v',
      flags: 257,
      place,
    };
    const root: Span = {
      ...span,
      spanId: '00f067aa0ba902b9',
      parentSpanId: '',
      startNs: span.startNs - 5n,
      endNs: span.startNs - 10n,
      events: [],
      links: [],
    };
    await keep({ spans: [span, root] });
    const [first, second] = await rows('SELECT * FROM spans ORDER BY start');
    expect(first).toMatchObject({
      duration_ns: -5n,
      parent_span_id: new Uint8Array(8),
      event_names: [],
      link_attributes: [],
    });
    expect(second).toEqual({
      ...place,
      start: span.startNs,
      duration_ns: 2_000_000_000n,
      name: span.name,
      kind: 'server',
      status: 'error',
      status_message: 'timeout',
      trace_id: bytes(span.traceId),
      span_id: bytes(span.spanId),
      parent_span_id: bytes(span.parentSpanId),
      resource: span.resource,
      resource_types: new Map(),
      attributes: typedTexts,
      attribute_types: types,
      scope_name: 'vllm',
      scope_version: '1.0',
      scope_attributes: new Map([['build', '7']]),
      schema_url: scope.schemaUrl,
      event_times: BigInt64Array.of(1_767_225_601_000_000_001n, 1_767_225_601_000_000_002n),
      event_names: ['first token', 'retry'],
      event_attributes: [new Map([['index', '1']]), new Map()],
      event_attribute_types: [new Map([['index', 'int']]), new Map()],
      link_trace_ids: [bytes('0af7651916cd43dd8448eb211c80319c')],
      link_span_ids: [bytes('b7ad6b7169203331')],
      link_attributes: [new Map([['a', 'b']])],
      link_attribute_types: [new Map()],
      link_trace_states: ['vendor=1'],
      link_flags: Uint32Array.of(257),
      trace_state: 'k=v',
      flags: 257,
    });
    expect(
      await rows(`SELECT min(first) AS a, max(last) AS z FROM trace_times WHERE trace_id = unhex('${span.traceId}')`),
    ).toEqual([{ a: root.startNs, z: span.startNs }]);
  });

  test('an object version keeps every field', async () => {
    const object = {
      cluster: 'prod-eu',
      uid: 'u-1',
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'inference',
      name: 'llama-0',
      resourceVersion: '42',
      validFromMs: 1_767_225_600_123,
      deleted: true,
      body: '{"a":"ü"}',
    };
    await keep({ objects: [object, object] });
    expect(await rows('SELECT * FROM object_versions FINAL')).toEqual([
      {
        cluster: 'prod-eu',
        kind: 'Pod',
        api_version: 'v1',
        namespace: 'inference',
        name: 'llama-0',
        uid: 'u-1',
        resource_version: '42',
        valid_from: 1_767_225_600_123n,
        deleted: 1,
        body: '{"a":"ü"}',
      },
    ]);
  });

  test('native histograms keep every field', async () => {
    const series = [{ cluster: 'prod-eu', labels: ['__name__', 'latency', 'job', 'a'] }];
    const exponential: NativeHistogram = {
      schema: -4,
      integer: true,
      resetHint: 'yes',
      stale: false,
      count: 2 ** 53 - 1,
      sum: -0.5,
      zeroThreshold: 1e-128,
      zeroCount: 3,
      positive: {
        spans: [
          { offset: -7, length: 2 },
          { offset: 4, length: 1 },
        ],
        counts: [1, 2, 3],
      },
      negative: { spans: [{ offset: 1, length: 1 }], counts: [0.5] },
      customBounds: [],
    };
    const custom: NativeHistogram = {
      ...exponential,
      schema: CUSTOM_BOUNDS_SCHEMA,
      integer: false,
      resetHint: 'gauge',
      negative: noBuckets,
      customBounds: [-1, 0.1, 5],
    };
    const histograms = {
      series,
      seriesOf: new Uint32Array(3),
      timesMs: Float64Array.of(-1, 0, 1_767_225_600_123),
      values: [exponential, custom, staleHistogram],
    };
    await keep({ histograms });
    const found = await rows(`SELECT * EXCEPT (metric_id, series_id) FROM histograms
WHERE series_id IN (SELECT series_id FROM series WHERE metric = 'latency') ORDER BY ts`);
    const shared = {
      schema: -4,
      integer: 1,
      reset_hint: 1,
      stale: 0,
      count: 2 ** 53 - 1,
      sum: -0.5,
      zero_threshold: 1e-128,
      zero_count: 3,
      positive_offsets: Int32Array.of(-7, 4),
      positive_lengths: Uint32Array.of(2, 1),
      positive_counts: Float64Array.of(1, 2, 3),
      negative_offsets: Int32Array.of(1),
      negative_lengths: Uint32Array.of(1),
      negative_counts: Float64Array.of(0.5),
      custom_bounds: new Float64Array(0),
    };
    expect(found.slice(0, 2)).toEqual([
      { ...shared, ts: -1n },
      {
        ...shared,
        ts: 0n,
        schema: -53,
        integer: 0,
        reset_hint: 3,
        negative_offsets: new Int32Array(0),
        negative_lengths: new Uint32Array(0),
        negative_counts: new Float64Array(0),
        custom_bounds: Float64Array.of(-1, 0.1, 5),
      },
    ]);
    expect(found[2]).toMatchObject({ ts: 1_767_225_600_123n, stale: 1, sum: Number.NaN });
  });

  test('exemplars are found by the series they came with, which needs no sample', async () => {
    const series = { cluster: 'prod-eu', labels: ['__name__', 'requests_total', 'job', 'a'] };
    await keep({ exemplars: [{ series, timeMs: 5, value: 0.25, labels: ['trace_id', 'abc', 'ü', 'x'] }] });
    expect(
      await rows(`SELECT ts, value, labels FROM exemplars
WHERE series_id IN (SELECT series_id FROM series WHERE metric = 'requests_total' AND labels['job'] = 'a')`),
    ).toEqual([
      {
        ts: 5n,
        value: 0.25,
        labels: new Map([
          ['trace_id', 'abc'],
          ['ü', 'x'],
        ]),
      },
    ]);
  });

  test('metadata is stored once an hour', async () => {
    const metadata = [{ family: 'm', type: 'counter' as const, help: 'Help.', unit: 's' }];
    await keep({ metadata });
    expect(encoder.encode({ metadata }).blocks).toEqual([]);
    expect(await rows('SELECT * FROM metric_metadata')).toEqual([
      { family: 'm', type: 'counter', help: 'Help.', unit: 's', seen: 1_767_225_600_000n },
    ]);
  });

  test('series are found by labels and time, whatever the order of samples', async () => {
    const day = 86_400_000;
    const times = [-1, 0, 5 * day - 1, 5 * day, 5 * day + 1, 5 * day + 3_600_000, -1];
    const values = Float64Array.from(times, (_, i) => i);
    setStaleAt(values, 3);
    const series = [{ cluster: 'prod-eu', labels: ['__name__', 'up', 'cluster', 'eu', 'job', "it's"] }];
    await keep({
      samples: { series, seriesOf: new Uint32Array(times.length), timesMs: Float64Array.from(times), values },
    });
    const [found] =
      await rows(`SELECT any(labels) AS all_labels, min(first_ts) AS a, max(last_ts) AS z, any(metric) AS name
FROM series WHERE metric = 'up' AND labels['job'] = 'it\\'s' AND labels['absent'] = ''`);
    expect(found?.all_labels).toEqual(
      new Map([
        ['cluster', 'eu'],
        ['job', "it's"],
      ]),
    );
    expect(found?.name).toBe('up');
    for (const time of times) {
      const ms = `fromUnixTimestamp64Milli(toInt64(${time}))`;
      const joined = `SELECT value FROM samples WHERE ts = ${ms} AND metric_id IN (SELECT metric_id FROM series) AND series_id IN
(SELECT series_id FROM series WHERE metric = 'up' AND last_ts >= ${ms} AND first_ts <= ${ms})`;
      expect((await rows(joined)).length).toBe(times.filter((other) => other === time).length);
    }
    const [spread] = await rows(
      `SELECT count() AS wrong FROM series WHERE toYYYYMMDD(first_ts) != toYYYYMMDD(last_ts)`,
    );
    expect(spread).toEqual({ wrong: 0n });
    const [stale] = await rows(
      `SELECT reinterpretAsUInt64(value) AS bits FROM samples WHERE ts = fromUnixTimestamp64Milli(toInt64(${5 * day}))`,
    );
    expect(stale?.bits).toBe(0x7ff0_0000_0000_0002n);
  });
});

describe('which series rows are written', () => {
  const batchAt = (timesMs: number[]): SignalBatch => ({
    samples: {
      series: [{ cluster: 'c', labels: ['__name__', 'm'] }],
      seriesOf: new Uint32Array(timesMs.length),
      timesMs: Float64Array.from(timesMs),
      values: new Float64Array(timesMs.length),
    },
  });
  const tables = (encoder: BatchEncoder, times: number[]) => {
    const encoded = encoder.encode(batchAt(times));
    encoded.stored();
    return encoded.blocks.map(({ table }) => table);
  };

  test('one with the first sample, one more each hour, all again after something was lost', () => {
    const encoder = createBatchEncoder(manualClock(0));
    expect(tables(encoder, [0])).toEqual(['series', 'samples']);
    expect(tables(encoder, [1])).toEqual(['samples']);
    expect(tables(encoder, [3_600_000])).toEqual(['series', 'samples']);
    expect(tables(encoder, [0, 3_600_001])).toEqual(['samples']);
    encoder.forget();
    expect(tables(encoder, [0])).toEqual(['series', 'samples']);
  });

  test('a start time is written when it changes and once a day', () => {
    const encoder = createBatchEncoder(manualClock(0));
    const series = [{ cluster: 'c', labels: ['__name__', 'm'] }];
    const day = 86_400_000;
    const starts = (times: number[], startsMs: number[]) => {
      const { samples } = batchAt(times);
      if (samples === undefined) throw new Error('a batch has samples');
      const encoded = encoder.encode({ samples: { ...samples, series, startsMs: Float64Array.from(startsMs) } });
      encoded.stored();
      return encoded.blocks.some(({ table }) => table === 'series_starts');
    };
    expect(starts([1, 2], [0, 0])).toBe(true);
    expect(starts([3], [0])).toBe(false);
    expect(starts([4], [Number.NaN])).toBe(false);
    expect(starts([5], [4])).toBe(true);
    expect(starts([day + 1], [4])).toBe(true);
    expect(starts([day + 2], [4])).toBe(false);
  });

  test('until they are on disk they are written again', () => {
    const encoder = createBatchEncoder(manualClock(0));
    encoder.encode(batchAt([0]));
    expect(tables(encoder, [0])).toEqual(['series', 'samples']);
  });
});

function bytes(hex: string): ColumnValue {
  return new Uint8Array(Buffer.from(hex, 'hex'));
}
