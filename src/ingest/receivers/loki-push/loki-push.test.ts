import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/index.ts';
import type { SignalBatch } from '../../../model/index.ts';
import { collect, describeReceiver, gzipBomb, LIMIT, nowNs, openHttp } from '../contract.ts';
import type { ReceiverOptions } from '../options.ts';
import { DecodeError, ProtoWriter } from '../wire/index.ts';
import { decodeJsonPush, decodeProtobufPush, lokiPush, parseStreamLabels } from './index.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const PROTOBUF_TYPE = { 'content-type': 'application/x-protobuf' };
const open = (options: ReceiverOptions) => openHttp(lokiPush, options, '/loki/api/v1/push', JSON_TYPE);
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

const goodJson = json({
  streams: [
    {
      stream: { app: 'api', pod: 'api-7d9f8b6c5d-x2x9p' },
      values: [
        [`${nowNs}`, 'first'],
        [`${nowNs + 1n}`, 'second', { trace_id: 'ab'.repeat(16) }],
      ],
    },
  ],
});

function push(
  labels: string,
  ...entries: { ns: bigint; line: string; metadata?: Record<string, string> }[]
): ProtoWriter {
  const stream = new ProtoWriter().bytes(1, labels);
  for (const { ns, line, metadata = {} } of entries) {
    const time = new ProtoWriter().varint(1, ns / 1_000_000_000n).varint(2, ns % 1_000_000_000n);
    const entry = new ProtoWriter().bytes(1, time).bytes(2, line);
    for (const [name, value] of Object.entries(metadata))
      entry.bytes(3, new ProtoWriter().bytes(1, name).bytes(2, value));
    stream.bytes(2, entry);
  }
  return new ProtoWriter().bytes(1, stream);
}

const goodProtobuf = push(
  '{app="api", pod="api-7d9f8b6c5d-x2x9p"}',
  { ns: nowNs, line: 'first' },
  { ns: nowNs + 1n, line: 'second', metadata: { trace_id: 'ab'.repeat(16) } },
).finish();

function arrives(batches: SignalBatch[]) {
  const logs = batches.flatMap((batch) => batch.logs ?? []);
  expect(logs.map(({ timeNs, body }) => [timeNs, body])).toEqual([
    [nowNs, 'first'],
    [nowNs + 1n, 'second'],
  ]);
  expect(logs[0]?.resource).toEqual(
    new Map([
      ['app', 'api'],
      ['pod', 'api-7d9f8b6c5d-x2x9p'],
    ]),
  );
  expect(logs[1]).toMatchObject({ traceId: 'ab'.repeat(16), attributes: new Map([['trace_id', 'ab'.repeat(16)]]) });
  expect(logs[0]?.place).toMatchObject({
    pod: 'api-7d9f8b6c5d-x2x9p',
    workload: 'api',
    service: 'api',
    cluster: 'unknown',
  });
}

const simpleTypes = { code: 415 };
const busy = { code: 503, retries: true };

describeReceiver('Loki push in JSON', {
  open,
  good: { body: goodJson, code: 204, arrives },
  malformed: [
    { title: 'no JSON', body: Buffer.from('{"streams": [\n  {,'), code: 400, text: /line 2, column 4/ },
    { title: 'no streams', body: json({}), code: 400, text: /streams: expected an array, found nothing/ },
    {
      title: 'a number as time',
      body: json({
        streams: [
          {
            stream: { a: 'b' },
            values: [
              ['1', 'x'],
              [1, 'x'],
            ],
          },
        ],
      }),
      code: 400,
      text: /streams\[0\]\.values\[1\]\.\[0\]: expected nanoseconds as a string/,
    },
    {
      title: 'a label that is no string',
      body: json({ streams: [{ stream: { a: 1 }, values: [] }] }),
      code: 400,
      text: /streams\[0\]\.stream\.a: expected a string/,
    },
    {
      title: 'a time beyond 64 bits',
      body: json({ streams: [{ stream: { a: 'b' }, values: [['9999999999999999999', 'x']] }] }),
      code: 400,
      text: /64 bits/,
    },
    {
      title: 'damaged gzip',
      body: gzipSync(goodJson).subarray(0, 30),
      headers: { 'content-encoding': 'gzip' },
      code: 400,
      text: /gzip/,
    },
    {
      title: 'a line from long ago',
      body: json({ streams: [{ stream: { a: 'b' }, values: [['0', 'x']] }] }),
      code: 400,
      text: /entry for stream '{a="b"}' has timestamp too old: 1970-01-01T00:00:00.000Z, oldest acceptable timestamp is: 2025/,
    },
  ],
  tooLarge: [
    { title: 'as sent', body: Buffer.alloc(LIMIT + 1, ' '), code: 413 },
    { title: 'a gzip bomb', body: gzipBomb(), headers: { 'content-encoding': 'gzip' }, code: 413 },
  ],
  simpleTypes,
  busy,
});

describeReceiver('Loki push in protobuf', {
  open,
  good: { body: compressSync(goodProtobuf), headers: PROTOBUF_TYPE, code: 204, arrives },
  malformed: [
    { title: 'no snappy', body: goodProtobuf, headers: PROTOBUF_TYPE, code: 400, text: /snappy/ },
    {
      title: 'cut off',
      body: compressSync(goodProtobuf.subarray(0, -1)),
      headers: PROTOBUF_TYPE,
      code: 400,
      text: /at byte \d+/,
    },
    {
      title: 'bad labels',
      body: compressSync(push('{app=api}', { ns: nowNs, line: 'x' }).finish()),
      headers: PROTOBUF_TYPE,
      code: 400,
      text: /error parsing labels '{app=api}' with error: expected a value in quotes at character 6/,
    },
    {
      title: 'no labels',
      body: compressSync(push('{}', { ns: nowNs, line: 'x' }).finish()),
      headers: PROTOBUF_TYPE,
      code: 400,
      text: /at least one label pair is required/,
    },
  ],
  tooLarge: [
    {
      title: 'a bomb that announces 1 GiB',
      body: Buffer.from([0x80, 0x80, 0x80, 0x80, 0x04, 0]),
      headers: PROTOBUF_TYPE,
      code: 413,
    },
    { title: 'after decompression', body: compressSync(Buffer.alloc(1024 * 1024)), headers: PROTOBUF_TYPE, code: 413 },
  ],
  simpleTypes,
  busy,
});

describe('Loki push', () => {
  it('stores the good streams of a request that has a bad one', async () => {
    const ingest = collect();
    const door = await open({ ...ingest, logger: silentLogger });
    const body = json({
      streams: [
        { stream: {}, values: [[`${nowNs}`, 'lost']] },
        { stream: { a: 'b' }, values: [[`${nowNs}`, 'kept']] },
      ],
    });
    expect(await door.send(body)).toMatchObject({ code: 400, text: expect.stringContaining('streams[0]') });
    expect(ingest.batches.flatMap((b) => b.logs ?? []).map((l) => l.body)).toEqual(['kept']);
    expect(ingest.telemetry().dropped).toMatchObject([{ reason: 'invalid', count: 1 }]);
    await door.close();
  });

  it.each([
    ['{}', {}],
    ['{a="b"}', { a: 'b' }],
    [' { a = "b" , c="d", } ', { a: 'b', c: 'd' }],
    ['{a="x\\"y\\\\z\\n\\u00e9\\xc3\\xa9"}', { a: 'x"y\\z\néé' }],
    ['{a=`raw\\n`}', { a: 'raw\\n' }],
  ])('parses stream labels %s', (text, expected) => {
    expect(Object.fromEntries(parseStreamLabels(text))).toEqual(expected);
  });

  it.each(['', '{', '{a}', '{a=}', '{a="b" c="d"}', '{a="b"}x', '{a="b",a="c"}', '{a="\\q"}', '{1="x"}', '{a="b'])(
    'refuses stream labels %s',
    (text) => {
      expect(() => parseStreamLabels(text)).toThrow(DecodeError);
    },
  );

  it('any bytes decode or throw DecodeError, in both encodings', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((b) => Buffer.from(b)),
      fc.json().map((text) => Buffer.from(`{"streams":[{"stream":{"a":"b"},"values":[${text}]}]}`)),
      fc.tuple(fc.nat(goodProtobuf.length - 1), fc.nat(255)).map(([at, byte]) => {
        const copy = Buffer.from(goodProtobuf);
        copy[at] = byte;
        return copy;
      }),
    );
    const onlyOwn = (error: unknown) => expect(error).toBeInstanceOf(DecodeError);
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        await decodeJsonPush(body, 0n).catch(onlyOwn);
        await decodeProtobufPush(body, 0n).catch(onlyOwn);
      }),
      { numRuns: 500 },
    );
  });

  it('any lines come out as they went in', async () => {
    const entry = fc.record({ ns: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), line: fc.string({ unit: 'grapheme' }) });
    await fc.assert(
      fc.asyncProperty(fc.array(entry), async (entries) => {
        const expected = entries.map(({ ns, line }) => [ns, line]);
        const viaJson = await decodeJsonPush(
          json({ streams: [{ stream: { a: 'b' }, values: entries.map(({ ns, line }) => [`${ns}`, line]) }] }),
          0n,
        );
        const viaProtobuf = await decodeProtobufPush(push('{a="b"}', ...entries).finish(), 0n);
        for (const { logs } of [viaJson, viaProtobuf]) expect(logs.map((l) => [l.timeNs, l.body])).toEqual(expected);
      }),
    );
  });
});
