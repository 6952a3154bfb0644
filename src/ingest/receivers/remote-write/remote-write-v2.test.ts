import fc from 'fast-check';
import { compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/index.ts';
import { isStaleAt, labelRecord } from '../../../model/index.ts';
import { type Answer, collect, describeReceiver, LIMIT, nowMs, openHttp, sampleLines } from '../contract.ts';
import { DecodeError } from '../wire/index.ts';
import { createDecoderV2 } from './decode-v2.ts';
import { remoteWrite } from './index.ts';
import { goodLines, headersV2, requestV2, type SeriesV2 } from './testing.ts';

const open = (options: Parameters<typeof remoteWrite.open>[0]) =>
  openHttp(remoteWrite, options, '/prometheus/api/v1/write', headersV2);

const goodRequest = requestV2([
  { labels: { __name__: 'up', job: 'node', instance: 'a:9100' }, samples: [[1, nowMs]] },
  {
    labels: { instance: 'b:9100', __name__: 'up', job: 'node' },
    samples: [
      [0, nowMs - 15_000],
      [1.5e-300, nowMs],
    ],
  },
]);

const malformed = (title: string, series: SeriesV2[], text: RegExp, symbols?: readonly string[]) => ({
  title,
  body: compressSync(requestV2(series, symbols)),
  code: 400,
  text,
});
const up = { labels: { __name__: 'up' } };

describeReceiver('remote write 2.0', {
  open,
  good: {
    body: compressSync(goodRequest),
    code: 204,
    arrives: (batches) => expect(sampleLines(batches)).toEqual(goodLines(nowMs)),
  },
  malformed: [
    { title: 'not snappy', body: Buffer.from('hello, world'), code: 400, text: /snappy/ },
    { title: 'cut off', body: compressSync(goodRequest.subarray(0, -3)), code: 400, text: /at byte \d+/ },
    malformed('symbols that do not begin with ""', [{ ...up, samples: [[1, nowMs]] }], /must begin with an empty/, [
      'x',
    ]),
    malformed(
      'an odd number of references',
      [{ ...up, refs: [1], samples: [[1, nowMs]] }],
      /invalid labelRefs length 1/,
    ),
    malformed(
      'a reference to nothing',
      [{ ...up, refs: [1, 9], samples: [[1, nowMs]] }],
      /outside of symbols table \(size 1\)/,
    ),
    malformed('no name', [{ labels: { job: 'a' }, samples: [[1, nowMs]] }], /no __name__ label.*\{job="a"\}/),
    malformed('a label twice', [{ labels: {}, refs: [1, 2, 1, 2], samples: [[1, nowMs]] }], /comes twice/, [
      '',
      '__name__',
      'a',
    ]),
    malformed('neither samples nor histograms', [up], /at least one sample or histogram for series up/),
    malformed(
      'samples and histograms',
      [{ ...up, samples: [[1, nowMs]], histograms: [{ count: 0, timeMs: nowMs }] }],
      /must not contain both.*for series up/,
    ),
    malformed(
      'a bad histogram',
      [{ ...up, histograms: [{ count: 0, schema: 9, timeMs: nowMs }] }],
      /invalid schema.*got schema 9/,
    ),
    malformed('a sample from long ago', [{ ...up, samples: [[1, 0]] }], /^out of bounds: too old sample/),
  ],
  tooLarge: [
    { title: 'as sent', body: Buffer.alloc(LIMIT + 1), code: 413 },
    { title: 'a bomb that announces 4 GiB', body: Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0]), code: 413 },
  ],
  busy: { code: 503, retries: true },
});

function written({ headers }: Answer): (string | null | undefined)[] {
  return ['Samples', 'Histograms', 'Exemplars'].map((part) =>
    headers?.get(`X-Prometheus-Remote-Write-${part}-Written`),
  );
}

describe('remote write 2.0', () => {
  const send = async (body: Buffer, headers: Record<string, string> = {}) => {
    const ingest = collect();
    const door = await open({ ...ingest, logger: silentLogger });
    const answer = await door.send(body, headers);
    await door.close();
    return { ingest, answer, batch: ingest.batches[0] };
  };

  it.each([
    ['application/x-protobuf;proto=io.prometheus.write.v3.Request', 'snappy', 415],
    ['application/json', 'snappy', 415],
    ['application/x-protobuf;proto=io.prometheus.write.v2.Request', 'gzip', 415],
    ['application/x-protobuf;proto=io.prometheus.write.v2.Request', 'zstd', 415],
    ['application/x-protobuf; proto=io.prometheus.write.v2.Request', 'Snappy', 204],
    ['application/x-protobuf;proto=io.prometheus.write.v2.Request', '', 204],
    ['application/x-protobuf;proto=prometheus.WriteRequest', 'snappy', 204],
    ['application/x-protobuf', 'snappy', 204],
  ])('content type %s with encoding %s is answered %d', async (type, encoding, code) => {
    const { answer } = await send(compressSync(goodRequest), { 'content-type': type, 'content-encoding': encoding });
    expect(answer.code).toBe(code);
  });

  it('says how much was written, also when something was refused, and keeps what was right', async () => {
    const good = await send(compressSync(goodRequest));
    expect([good.answer.code, ...written(good.answer)]).toEqual([204, '3', '0', '0']);
    const body = requestV2([
      {
        ...up,
        samples: [
          [1, nowMs],
          [2, nowMs + 3_600_000],
        ],
      },
      { labels: { job: 'nameless' }, samples: [[1, nowMs]] },
      {
        labels: { __name__: 'latency' },
        histograms: [
          { count: 0, timeMs: nowMs },
          { count: 1, timeMs: nowMs },
        ],
        exemplars: [
          { labels: { trace_id: 'abc' }, value: 1, timeMs: nowMs },
          { labels: {}, value: 1, timeMs: 1 },
        ],
      },
    ]);
    const { answer, ingest } = await send(compressSync(body));
    expect([answer.code, ...written(answer)]).toEqual([400, '1', '1', '1']);
    expect(answer.text.split('\n')).toEqual([
      expect.stringMatching(/^out of bounds: timestamp is too far in the future \(1 samples refused\): sample of up/),
      expect.stringMatching(/^invalid metric name or labels: it has no __name__ label for series \{job="nameless"\}/),
      expect.stringMatching(/Count field is 1: .* for series latency \(1 histograms refused\)/),
      '',
    ]);
    expect(sampleLines(ingest.batches)).toEqual([`up 1 @${nowMs}`]);
    const garbage = await send(Buffer.from('hello, world'));
    expect([garbage.answer.code, ...written(garbage.answer)]).toEqual([400, '0', '0', '0']);
  });

  it('the first value of a time stays: the same again is fine, another is refused', async () => {
    const ingest = collect();
    const door = await open({ ...ingest, logger: silentLogger });
    const push = (value: number, other: number) =>
      door.send(
        compressSync(
          requestV2([
            { ...up, samples: [[value, nowMs]] },
            { labels: { __name__: 'other' }, samples: [[other, nowMs + other]] },
          ]),
        ),
      );
    expect(await push(1, 1)).toMatchObject({ code: 204 });
    const again = await push(1, 2);
    expect([again.code, ...written(again)]).toEqual([204, '2', '0', '0']);
    const changed = await push(5, 3);
    expect([changed.code, ...written(changed)]).toEqual([400, '1', '0', '0']);
    expect(changed.text).toMatch(
      /^duplicate sample for timestamp \(1 samples refused\): sample of up at .* has value 5/,
    );
    expect(sampleLines(ingest.batches)).toEqual([
      `up 1 @${nowMs}`,
      `other 1 @${nowMs + 1}`,
      `other 2 @${nowMs + 2}`,
      `other 3 @${nowMs + 3}`,
    ]);
    await door.close();
  });

  it('an empty request is nothing to complain about', async () => {
    const { answer } = await send(compressSync(Buffer.alloc(0)));
    expect([answer.code, ...written(answer)]).toEqual([204, '0', '0', '0']);
  });

  it('keeps exemplars, metadata and start times', async () => {
    const { answer, batch } = await send(
      compressSync(
        requestV2([
          {
            labels: { __name__: 'requests_total', 'http.route': '/ü' },
            samples: [
              [1, nowMs - 1],
              [2, nowMs, nowMs - 500],
            ],
            exemplars: [{ labels: { trace_id: 'abc' }, value: 0.25, timeMs: 0 }],
            metadata: { type: 1, help: 'Requests.', unit: 'requests' },
            createdMs: nowMs - 1000,
          },
          {
            labels: { __name__: 'latency_bucket', le: '1' },
            samples: [[1, nowMs]],
            metadata: { type: 3, help: 'L.', unit: 's' },
          },
          { labels: { __name__: 'latency_sum' }, samples: [[1, nowMs]], metadata: { type: 3, help: 'L.', unit: 's' } },
          { labels: { __name__: 'plain' }, samples: [[1, nowMs]], metadata: { type: 0, help: '', unit: '' } },
        ]),
      ),
    );
    expect(answer.code).toBe(204);
    expect(batch?.metadata).toEqual([
      { family: 'requests_total', type: 'counter', help: 'Requests.', unit: 'requests' },
      { family: 'latency', type: 'histogram', help: 'L.', unit: 's' },
    ]);
    expect(batch?.exemplars).toEqual([
      {
        series: { cluster: 'unknown', labels: ['__name__', 'requests_total', 'http.route', '/ü'] },
        timeMs: nowMs,
        value: 0.25,
        labels: ['trace_id', 'abc'],
      },
    ]);
    const { NaN: unknown } = Number;
    expect([...(batch?.samples?.startsMs ?? [])]).toEqual([nowMs - 1000, nowMs - 500, unknown, unknown, unknown]);
  });

  it('keeps native histograms of every kind', async () => {
    const { batch, answer } = await send(
      compressSync(
        requestV2([
          {
            labels: { __name__: 'h' },
            histograms: [
              {
                count: 5,
                sum: -2,
                schema: -4,
                spans: [[-3, 2]],
                deltas: [4, -3],
                resetHint: 2,
                timeMs: nowMs,
                startMs: 7,
              },
              {
                count: 1.5,
                float: true,
                sum: 1,
                schema: 8,
                spans: [[0, 1]],
                counts: [1.5],
                resetHint: 3,
                timeMs: nowMs + 1,
              },
              { count: 3, schema: -53, spans: [[0, 2]], deltas: [1, 1], bounds: [-0.5, 2], timeMs: nowMs + 2 },
              { count: 0, sum: 0x7ff0000000000002n, timeMs: nowMs + 3 },
            ],
          },
        ]),
      ),
    );
    expect([answer.code, ...written(answer)]).toEqual([204, '0', '4', '0']);
    expect(batch?.histograms?.values).toMatchObject([
      { integer: true, schema: -4, resetHint: 'no', positive: { spans: [{ offset: -3, length: 2 }], counts: [4, 1] } },
      { integer: false, schema: 8, resetHint: 'gauge', count: 1.5, positive: { counts: [1.5] } },
      { schema: -53, customBounds: [-0.5, 2], positive: { counts: [1, 2] } },
      { stale: true, sum: Number.NaN, count: 0 },
    ]);
    expect([...(batch?.histograms?.startsMs ?? [])].slice(0, 2)).toEqual([7, Number.NaN]);
  });

  it('keeps the bits of stale markers', async () => {
    const { samples } = await createDecoderV2()(requestV2([{ ...up, samples: [[0x7ff0000000000002n, nowMs]] }]));
    expect(isStaleAt(samples.values, 0)).toBe(true);
  });

  it('gives the same Series object for the same labels, whatever their numbers', async () => {
    const decode = createDecoderV2();
    const series = { labels: { __name__: 'a', b: 'c' }, samples: [[1, 1] as const] };
    const [first, second] = [await decode(requestV2([series])), await decode(requestV2([series], ['', 'more', 'c']))];
    expect(second.samples.series[0]).toBe(first.samples.series[0]);
  });

  it('takes a series with very many labels for what it is', async () => {
    const names = Array.from({ length: 300_000 }, (_, i) => [`l${i}`, 'x'] as const);
    const symbols = ['', '__name__', 'many', 'x', ...names.map(([name]) => name)];
    const refs = [1, 2, ...names.flatMap((_, i) => [i + 4, 3])];
    const content = await createDecoderV2()(requestV2([{ labels: {}, refs, samples: [[1, nowMs]] }], symbols));
    expect(content.samples.series[0]?.labels).toHaveLength(600_002);
  });

  it('any set of series comes out as it went in', async () => {
    const labels = fc.dictionary(
      fc.string({ minLength: 1, unit: 'grapheme' }).filter((n) => n !== '__name__'),
      fc.string({ minLength: 1, unit: 'grapheme' }),
    );
    const sample = fc.tuple(fc.double(), fc.integer({ min: -1e13, max: 1e13 }));
    const one = fc.record({ labels, samples: fc.array(sample, { minLength: 1 }) });
    const decode = createDecoderV2();
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 8 }), async (all) => {
        const { samples, invalid } = await decode(
          requestV2(all.map((s) => ({ labels: { ...s.labels, __name__: 'm' }, samples: s.samples }))),
        );
        expect(invalid).toEqual([]);
        const flat = Array.from(samples.values, (value, i) => [
          labelRecord(samples.series[samples.seriesOf[i] ?? 0]?.labels ?? []),
          value,
          samples.timesMs[i],
        ]);
        expect(flat).toEqual(
          all.flatMap((s) => s.samples.map(([value, time]) => [{ ...s.labels, __name__: 'm' }, value, time])),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('any bytes decode or throw DecodeError, and the decoder works on', async () => {
    const decode = createDecoderV2();
    const rich = requestV2([
      {
        labels: { __name__: 'h' },
        histograms: [{ count: 5, spans: [[-3, 2]], deltas: [4, -3], timeMs: nowMs }],
        exemplars: [{ labels: { trace_id: 'abc' }, value: 1, timeMs: nowMs }],
        metadata: { type: 3, help: 'H.', unit: '' },
      },
      { ...up, samples: [[1, nowMs]] },
    ]);
    const damaged = fc.tuple(fc.nat(rich.length - 1), fc.nat(255)).map(([at, byte]) => {
      const copy = Buffer.from(rich);
      copy[at] = byte;
      return copy;
    });
    const random = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, random), async (body) => {
        await decode(body).catch((error: unknown) => expect(error).toBeInstanceOf(DecodeError));
        expect((await decode(rich)).samples.values).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});
