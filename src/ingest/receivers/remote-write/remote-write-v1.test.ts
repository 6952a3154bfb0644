import fc from 'fast-check';
import { compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/index.ts';
import { isStaleAt, labelRecord, type SampleBatch } from '../../../model/index.ts';
import { collect, describeReceiver, LIMIT, nowMs, openHttp, sampleLines } from '../contract.ts';
import { DecodeError, ProtoWriter } from '../wire/index.ts';
import { createDecoderV1 } from './decode-v1.ts';
import { remoteWrite } from './index.ts';
import { goodLines, headersV1, histogram, type Labels, requestV1 as request, seriesV1 as series } from './testing.ts';

const open = (options: Parameters<typeof remoteWrite.open>[0]) =>
  openHttp(remoteWrite, options, '/prometheus/api/v1/write', headersV1);

const goodRequest = request(
  series({ __name__: 'up', job: 'node', instance: 'a:9100' }, [[1, nowMs]]),
  series({ instance: 'b:9100', __name__: 'up', job: 'node' }, [
    [0, nowMs - 15_000],
    [1.5e-300, nowMs],
  ]),
);

describeReceiver('remote write 1.0', {
  open,
  good: {
    body: compressSync(goodRequest),
    code: 204,
    arrives: (batches) => expect(sampleLines(batches)).toEqual(goodLines(nowMs)),
  },
  malformed: [
    { title: 'not snappy', body: Buffer.from('hello, world'), code: 400, text: /snappy/ },
    { title: 'empty body', body: Buffer.alloc(0), code: 400, text: /snappy block: ends at byte 0/ },
    {
      title: 'not protobuf',
      body: compressSync(Buffer.from([0x0a, 0x7f, 1, 2])),
      code: 400,
      text: /protobuf at byte 1: 127 bytes announced, 2 left/,
    },
    {
      title: 'cut off inside a sample',
      body: compressSync(goodRequest.subarray(0, -3)),
      code: 400,
      text: /at byte \d+/,
    },
    {
      title: 'a native histogram whose counts do not add up',
      body: compressSync(
        request(series({ __name__: 'h' }, []).bytes(4, new ProtoWriter().varint(1, 3).varint(15, nowMs))),
      ),
      code: 400,
      text: /0 observations found in buckets, but the Count field is 3: .* for series h/,
    },
    {
      title: 'a sample from long ago',
      body: compressSync(request(series({ __name__: 'old' }, [[1, 0]]))),
      code: 400,
      text: /^out of bounds: too old sample .*sample of old has timestamp too old: 1970/,
    },
    {
      title: 'a sample from the future',
      body: compressSync(request(series({ __name__: 'new' }, [[1, nowMs + 3_600_000]]))),
      code: 400,
      text: /^out of bounds: timestamp is too far in the future/,
    },
  ],
  tooLarge: [
    { title: 'as sent', body: Buffer.alloc(LIMIT + 1), code: 413 },
    {
      title: 'after decompression',
      body: compressSync(Buffer.alloc(8 * 1024 * 1024)).subarray(0, LIMIT - 1),
      code: 413,
    },
    { title: 'a bomb that announces 4 GiB', body: Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0]), code: 413 },
  ],
  simpleTypes: { code: 415 },
  busy: { code: 503, retries: true },
});

describe('remote write 1.0', () => {
  const decode = async (body: Buffer) => (await createDecoderV1()(body)).samples;

  it('leaves out series with invalid labels, keeps their neighbours, and says 204 as Prometheus does', async () => {
    const ingest = collect();
    const door = await open({ ...ingest, logger: silentLogger });
    const twice = new ProtoWriter()
      .bytes(1, new ProtoWriter().bytes(1, '__name__').bytes(2, 'twice'))
      .bytes(1, new ProtoWriter().bytes(1, 'a').bytes(2, '1'))
      .bytes(1, new ProtoWriter().bytes(1, 'a').bytes(2, '2'))
      .bytes(2, new ProtoWriter().double(1, 1).varint(2, nowMs));
    const notUtf8 = new ProtoWriter()
      .bytes(1, new ProtoWriter().bytes(1, '__name__').bytes(2, Buffer.from([0xc3, 0x28])))
      .bytes(2, new ProtoWriter().double(1, 1).varint(2, nowMs));
    const body = compressSync(
      request(series({ job: 'nameless' }, [[1, nowMs]]), twice, notUtf8, series({ __name__: 'good' }, [[2, nowMs]])),
    );
    expect(await door.send(body)).toMatchObject({ code: 204 });
    expect(sampleLines(ingest.batches)).toEqual([`good 2 @${nowMs}`]);
    expect(ingest.telemetry().dropped).toMatchObject([
      { reason: 'invalid', signal: 'samples', count: 3, example: expect.stringContaining('nameless') },
    ]);
    await door.close();
  });

  it('keeps the bits of stale markers and other NaNs', async () => {
    const staleBits = 0x7ff0000000000002n;
    const otherBits = 0x7ff8000000000001n;
    const { values } = await decode(
      request(
        series({ __name__: 'a' }, [
          [staleBits, 1],
          [otherBits, 2],
        ]),
      ),
    );
    expect(isStaleAt(values, 0)).toBe(true);
    expect(new BigUint64Array(values.buffer, values.byteOffset, 2)[1]).toBe(otherBits);
  });

  it.each([0, 1, -1, 253402300799999, -62135596800000, 2 ** 53 - 1, -(2 ** 53 - 1)])(
    'keeps the time %d',
    async (time) => {
      const { timesMs } = await decode(request(series({ __name__: 'a' }, [[1, time]])));
      expect(timesMs[0]).toBe(time);
    },
  );

  it('reads absent fields as zero', async () => {
    const body = request(
      new ProtoWriter().bytes(1, new ProtoWriter().bytes(1, '__name__').bytes(2, 'a')).bytes(2, new ProtoWriter()),
    );
    expect(sampleLines([{ samples: await decode(body) }])).toEqual(['a 0 @0']);
  });

  it('reads a series whose fields come in any order', async () => {
    const sample = new ProtoWriter().varint(2, 5).double(1, 3);
    const body = request(
      new ProtoWriter()
        .bytes(2, sample)
        .bytes(1, new ProtoWriter().bytes(2, 'v').bytes(1, 'l'))
        .bytes(2, sample)
        .varint(9, 1)
        .bytes(1, new ProtoWriter().bytes(1, '__name__').bytes(2, 'a')),
    );
    expect(sampleLines([{ samples: await decode(body) }])).toEqual(['a{l="v"} 3 @5', 'a{l="v"} 3 @5']);
  });

  it('gives the same Series object for the same labels, within a request and across requests', async () => {
    const decoder = createDecoderV1();
    const body = request(
      series({ __name__: 'a' }, [[1, 1]]),
      series({ __name__: 'b' }, [[1, 1]]),
      series({ __name__: 'a' }, [[2, 2]]),
    );
    const first = (await decoder(body)).samples;
    const second = (await decoder(body)).samples;
    expect(first.series).toHaveLength(2);
    expect([...first.seriesOf]).toEqual([0, 1, 0]);
    expect(second.series[0]).toBe(first.series[0]);
  });

  it('reads native histograms and exemplars beside samples, and lets no exemplar fail the request', async () => {
    const ingest = collect();
    const door = await open({ ...ingest, logger: silentLogger });
    const exemplar = (timeMs: number) =>
      new ProtoWriter()
        .bytes(1, new ProtoWriter().bytes(1, 'trace_id').bytes(2, 'abc'))
        .double(2, 0.5)
        .varint(3, timeMs);
    const one = series({ __name__: 'latency', job: 'a' }, [])
      .bytes(3, exemplar(nowMs))
      .bytes(3, exemplar(nowMs - 30 * 86_400_000))
      .bytes(
        4,
        histogram({
          count: 5,
          zeroCount: 1,
          spans: [
            [0, 2],
            [1, 1],
          ],
          deltas: [1, 1, -1],
          timeMs: nowMs,
        }),
      );
    const both = series({ __name__: 'mixed' }, [[1, nowMs]]).bytes(4, histogram({ count: 0, timeMs: nowMs + 1 }));
    expect(await door.send(compressSync(request(one, both)))).toMatchObject({ code: 204 });
    const [batch] = ingest.batches;
    expect(batch?.histograms?.series.map(({ labels }) => labelRecord(labels))).toEqual([
      { __name__: 'latency', job: 'a' },
      { __name__: 'mixed' },
    ]);
    expect(batch?.histograms?.values[0]).toMatchObject({
      integer: true,
      count: 5,
      zeroCount: 1,
      positive: {
        spans: [
          { offset: 0, length: 2 },
          { offset: 1, length: 1 },
        ],
        counts: [1, 2, 1],
      },
    });
    expect(batch?.exemplars).toMatchObject([
      {
        series: { labels: ['__name__', 'latency', 'job', 'a'] },
        timeMs: nowMs,
        value: 0.5,
        labels: ['trace_id', 'abc'],
      },
    ]);
    expect(sampleLines(ingest.batches)).toEqual([`mixed 1 @${nowMs}`]);
    expect(ingest.telemetry().dropped).toMatchObject([{ signal: 'exemplars', reason: 'too_old', count: 1 }]);
    await door.close();
  });

  it('keeps metadata', async () => {
    const metadata = new ProtoWriter().varint(1, 1).bytes(2, 'http_requests_total').bytes(4, 'Requests.').bytes(5, '');
    const decoded = await createDecoderV1()(new ProtoWriter().bytes(3, metadata).finish());
    expect(decoded.metadata).toEqual([{ family: 'http_requests_total', type: 'counter', help: 'Requests.', unit: '' }]);
  });

  it('any set of series comes out as it went in', async () => {
    const labels = fc.dictionary(
      fc.string({ minLength: 1, unit: 'grapheme' }).filter((n) => n !== '__name__'),
      fc.string({ minLength: 1, unit: 'grapheme' }),
    );
    const one = fc.record({ labels, samples: fc.array(fc.tuple(fc.double(), fc.integer({ min: -1e13, max: 1e13 }))) });
    const decoder = createDecoderV1();
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 8 }), async (all) => {
        const body = request(...all.map((s) => series({ ...s.labels, __name__: 'm' }, s.samples)));
        const { samples } = await decoder(body);
        expect(flat(samples)).toEqual(
          all.flatMap((s) => s.samples.map(([value, time]) => [{ ...s.labels, __name__: 'm' }, value, time])),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('any bytes decode or throw DecodeError', async () => {
    const decoder = createDecoderV1();
    const damaged = fc.tuple(fc.nat(goodRequest.length - 1), fc.nat(255)).map(([at, byte]) => {
      const copy = Buffer.from(goodRequest);
      copy[at] = byte;
      return copy;
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          damaged,
          fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
        ),
        async (body) => {
          await decoder(body).catch((error) => expect(error).toBeInstanceOf(DecodeError));
        },
      ),
      { numRuns: 500 },
    );
  });
});

function flat(samples: SampleBatch): [Labels, number, number][] {
  return Array.from(samples.values, (value, i) => [
    labelRecord(samples.series[samples.seriesOf[i] ?? 0]?.labels ?? []),
    value,
    samples.timesMs[i] ?? Number.NaN,
  ]);
}
