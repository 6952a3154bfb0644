import fc from 'fast-check';
import { compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { silentLogger, systemClock } from '../../../base/index.ts';
import { isStaleAt, labelRecord, type SampleBatch } from '../../../model/index.ts';
import { collect, describeReceiver, LIMIT, nowMs, openHttp, sampleLines } from '../contract.ts';
import type { ReceiverOptions } from '../options.ts';
import { DecodeError, ProtoWriter } from '../wire/index.ts';
import { createWriteDecoder, remoteWrite } from './index.ts';

const HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
};
const open = (options: ReceiverOptions) => openHttp(remoteWrite, options, '/prometheus/api/v1/write', HEADERS);

type Labels = Record<string, string>;

function series(labels: Labels, samples: [value: number | bigint, timeMs: number][]): ProtoWriter {
  const message = new ProtoWriter();
  for (const [name, value] of Object.entries(labels))
    message.bytes(1, new ProtoWriter().bytes(1, name).bytes(2, value));
  for (const [value, timeMs] of samples) {
    const sample = new ProtoWriter();
    if (typeof value === 'bigint') sample.fixed64(1, value);
    else sample.double(1, value);
    message.bytes(2, sample.varint(2, BigInt(timeMs)));
  }
  return message;
}

function request(...all: ProtoWriter[]): Buffer {
  const message = new ProtoWriter();
  for (const one of all) message.bytes(1, one);
  return message.finish();
}

const goodRequest = request(
  series({ __name__: 'up', job: 'node', instance: 'a:9100' }, [[1, nowMs]]),
  series({ instance: 'b:9100', __name__: 'up', job: 'node' }, [
    [0, nowMs - 15_000],
    [1.5e-300, nowMs],
  ]),
);

describeReceiver('remote write', {
  open,
  good: {
    body: compressSync(goodRequest),
    code: 204,
    arrives: (batches) =>
      expect(sampleLines(batches)).toEqual([
        `up{instance="a:9100", job="node"} 1 @${nowMs}`,
        `up{instance="b:9100", job="node"} 0 @${nowMs - 15_000}`,
        `up{instance="b:9100", job="node"} 1.5e-300 @${nowMs}`,
      ]),
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
      title: 'a native histogram',
      body: compressSync(request(series({ __name__: 'h' }, []).bytes(4, new ProtoWriter()))),
      code: 400,
      text: /native histograms.*h/,
    },
    {
      title: 'a sample from long ago',
      body: compressSync(request(series({ __name__: 'old' }, [[1, 0]]))),
      code: 400,
      text: /sample of old has timestamp too old: 1970/,
    },
    {
      title: 'a sample from the future',
      body: compressSync(request(series({ __name__: 'new' }, [[1, nowMs + 3_600_000]]))),
      code: 400,
      text: /too new/,
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

describe('remote write', () => {
  const decode = async (body: Buffer) => (await createWriteDecoder()(body)).samples;

  it('refuses remote write 2.0 with 415 so that the sender falls back', async () => {
    const { sink } = collect();
    const door = await open({ sink, clock: systemClock, logger: silentLogger });
    const answer = await door.send(compressSync(goodRequest), {
      'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    });
    expect(answer).toMatchObject({ code: 415, text: expect.stringContaining('remote write 1.0') });
    await door.close();
  });

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
    const decoder = createWriteDecoder();
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

  it('keeps metadata', async () => {
    const metadata = new ProtoWriter().varint(1, 1).bytes(2, 'http_requests_total').bytes(4, 'Requests.').bytes(5, '');
    const decoded = await createWriteDecoder()(new ProtoWriter().bytes(3, metadata).finish());
    expect(decoded.metadata).toEqual([{ family: 'http_requests_total', type: 'counter', help: 'Requests.', unit: '' }]);
  });

  it('any set of series comes out as it went in', async () => {
    const labels = fc.dictionary(
      fc.string({ minLength: 1, unit: 'grapheme' }).filter((n) => n !== '__name__'),
      fc.string({ minLength: 1, unit: 'grapheme' }),
    );
    const one = fc.record({ labels, samples: fc.array(fc.tuple(fc.double(), fc.integer({ min: -1e13, max: 1e13 }))) });
    const decoder = createWriteDecoder();
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
    const decoder = createWriteDecoder();
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
