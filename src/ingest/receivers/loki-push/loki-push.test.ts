import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/index.ts';
import type { SignalBatch } from '../../../model/index.ts';
import { BackPressureError, RateLimitError } from '../../sink.ts';
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
    { title: 'no JSON', body: Buffer.from('{"streams": [\n  {,}]}'), code: 400, text: /line 2, column 4/ },
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
      title: 'bad labels with a secret',
      body: compressSync(push('{password="hunter2}', { ns: nowNs, line: 'x' }).finish()),
      headers: PROTOBUF_TYPE,
      code: 400,
      text: /error parsing labels '{…}' with error: expected a value in quotes at character 11/,
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
  const send = async (body: Buffer, headers: Record<string, string> = JSON_TYPE) => {
    const ingest = collect();
    const door = await open({ ...ingest, logger: silentLogger });
    const answer = await door.send(body, headers);
    await door.close();
    const { dropped } = ingest.telemetry();
    return { ...answer, logs: ingest.batches.flatMap((batch) => batch.logs ?? []), dropped };
  };

  it('stores the good entries beside bad ones, and says what is wrong with which', async () => {
    const { code, text, logs, dropped } = await send(
      json({
        streams: [
          {
            stream: { a: 'b' },
            values: [[`${nowNs}`, 'kept'], [1, 'x'], [`${nowNs}`, 5], ['0', 'old'], ['1', 'old, too'], [`${nowNs}`, 'kept, too', { n: 1 }], [`${nowNs}`, 'last']],
          },
          { stream: { a: 1 }, values: [[`${nowNs}`, 'x']] },
          { stream: { c: 'd' }, values: [[`${nowNs - 5_000_000_000n}`, 'other stream']] },
        ],
      }), // biome-ignore format: entries
    );
    expect(code).toBe(400);
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^entry for stream '{a="b"}' has timestamp too old: 1970.*\(the first of 2 entries/),
      'streams[0].values[1].[0]: expected nanoseconds as a string, found number 1',
      'streams[0].values[2].[1]: expected a string, found number 5',
      'streams[0].values[5].[2].n: expected a string, found number 1',
      'streams[1].stream.a: expected a string, found number 1',
      '',
    ]);
    expect(logs.map(({ body }) => body)).toEqual(['kept', 'last', 'other stream']);
    expect(dropped.map(({ reason, count }) => [reason, count])).toEqual([
      ['too_old', 2],
      ['invalid', 4],
    ]);
  });

  it.each([
    [
      'too many labels',
      { stream: Object.fromEntries(Array.from({ length: 61 }, (_, i) => [`l${i}`, 'x'])), values: [[`${nowNs}`, 'x']] },
      /^entry for stream '{l0="x", .*' has 61 label names; limit 60$/m,
      'limit_labels',
    ],
    [
      'a long name',
      { stream: { [`x${'y'.repeat(1024)}`]: 'a' }, values: [[`${nowNs}`, 'x']] },
      /^stream '{xyy.*' has label name too long: 'xyy/m,
      'limit_labels',
    ],
    [
      'a long value',
      { stream: { x: 'y'.repeat(4097) }, values: [[`${nowNs}`, 'x']] },
      /has label value too long: 'x' has 4097 characters/,
      'limit_labels',
    ],
    [
      'much metadata',
      { stream: { x: 'y' }, values: [[`${nowNs}`, 'x', { m: 'y'.repeat(50_000), n: 'y'.repeat(16_000) }]] },
      /^stream '{x="y"}' has structured metadata too large: '66002' bytes, limit: '65536' bytes$/m,
      'invalid',
    ],
    [
      'many metadata',
      {
        stream: { x: 'y' },
        values: [[`${nowNs}`, 'x', Object.fromEntries(Array.from({ length: 129 }, (_, i) => [`l${i}`, 'x']))]],
      },
      /too many structured metadata labels: '129', limit: '128'/,
      'invalid',
    ],
  ])('limits: %s', async (_title, stream, text, reason) => {
    const good = { stream: { a: 'b' }, values: [[`${nowNs}`, 'kept']] };
    const ingest = collect();
    const door = await openHttp(
      lokiPush,
      { ...ingest, logger: silentLogger, limits: { maxBodyBytes: 1024 * 1024 } },
      '/loki/api/v1/push',
      JSON_TYPE,
    );
    const answer = await door.send(json({ streams: [stream, good] }));
    await door.close();
    expect(answer).toMatchObject({ code: 400, text: expect.stringMatching(text) });
    expect(ingest.telemetry().dropped).toMatchObject([{ reason, count: 1 }]);
    expect(ingest.batches.flatMap((batch) => batch.logs ?? []).map(({ body }) => body)).toEqual(['kept']);
  });

  it('takes entries out of order, twice the same time, and lines of any characters', async () => {
    const lines = ['late', 'early', 'same\0time', 'CR LF\r\n', '\x1b[31mred\x1b[0m', '\u2028 ünï 🙂', ''];
    const values = lines.map((line, i) => [`${nowNs - BigInt(i === 1 ? 3_600_000_000_000 : 0)}`, line]);
    const { code, logs } = await send(json({ streams: [{ stream: { a: 'b' }, values }] }));
    expect(code).toBe(204);
    expect(logs.map(({ body }) => body)).toEqual(lines);
  });

  it('keeps bytes that are not UTF-8 in sight, in both encodings, and counts them', async () => {
    const latin1 = Buffer.from(
      `{"streams":[{"stream":{"a":"b"},"values":[["${nowNs}","caf\xe9"],["${nowNs}","good"]]}]}`,
      'latin1',
    );
    const viaJson = await send(latin1);
    const time = new ProtoWriter().varint(1, nowNs / 1_000_000_000n);
    const entries = [Buffer.from('caf\xe9', 'latin1'), Buffer.from('good')].map((line) =>
      new ProtoWriter().bytes(1, time).bytes(2, line),
    );
    const stream = new ProtoWriter().bytes(1, '{a="b"}');
    for (const entry of entries) stream.bytes(2, entry);
    const viaProtobuf = await send(compressSync(new ProtoWriter().bytes(1, stream).finish()), PROTOBUF_TYPE);
    for (const { code, logs, dropped } of [viaJson, viaProtobuf]) {
      expect(code).toBe(204);
      expect(logs.map(({ body }) => body)).toEqual(['caf\\xe9', 'good']);
      expect(dropped).toMatchObject([{ reason: 'invalid', count: 1, example: expect.stringContaining('not UTF-8') }]);
    }
  });

  it('a replacement character that was sent is no damage', async () => {
    const { code, dropped } = await send(
      compressSync(push('{a="b"}', { ns: nowNs, line: 'x\ufffd' }).finish()),
      PROTOBUF_TYPE,
    );
    expect([code, dropped]).toEqual([204, []]);
  });

  it('cuts a very long line with a mark, counts it, and does not refuse it', async () => {
    const ingest = collect();
    const limits = { maxBodyBytes: 4 * 1024 * 1024 };
    const door = await openHttp(lokiPush, { ...ingest, logger: silentLogger, limits }, '/loki/api/v1/push', JSON_TYPE);
    const values = [
      [`${nowNs}`, 'x'.repeat(1_000_000)],
      [`${nowNs}`, 'short'],
    ];
    const { code } = await door.send(json({ streams: [{ stream: { a: 'b' }, values }] }));
    await door.close();
    const [long = '', short] = ingest.batches.flatMap((batch) => batch.logs ?? []).map(({ body }) => body);
    expect([code, short]).toEqual([204, 'short']);
    expect(long).toBe(`${'x'.repeat(262_144)}…[cut: 737856 bytes]`);
    expect(ingest.telemetry().dropped).toMatchObject([{ reason: 'oversize', count: 1 }]);
  });

  it.each([
    [new RateLimitError('ingestion rate limit exceeded', 3), 429],
    [new BackPressureError('the spool is full', 3), 503],
  ])('%s is %d, after which senders come again', async (refusal, code) => {
    const ingest = collect();
    const door = await open({ ...ingest, logger: silentLogger });
    ingest.refuseWith(refusal);
    const answer = await door.send(goodJson);
    await door.close();
    expect(answer).toMatchObject({ code, retryAfterSeconds: 3, text: expect.stringContaining(refusal.message) });
  });

  it('an empty push is no mistake', async () => {
    expect(await send(json({ streams: [] }))).toMatchObject({ code: 204 });
    expect(await send(json({ streams: [{ stream: { a: 'b' }, values: [] }] }))).toMatchObject({ code: 204 });
  });

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

  it('any value in the place of an entry leaves its neighbours alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.json(), async (entry, metadata) => {
        const value = (line: string) => `["${nowNs}","${line}"]`;
        const body = `{"streams":[{"stream":{"a":"b"},"values":[${value('one')},${entry},["${nowNs}","x",${metadata}],${value('two')}]}]}`;
        const { logs, refused } = await decodeJsonPush(Buffer.from(body), 0n);
        expect(logs.map(({ body: line }) => line).filter((line) => line === 'one' || line === 'two')).toEqual([
          'one',
          'two',
        ]);
        expect(logs.length + refused.reduce((sum, { count }) => sum + count, 0)).toBe(4);
      }),
    );
  });

  it('any labels are parsed as Go writes them', () => {
    const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/);
    fc.assert(
      fc.property(fc.dictionary(name, fc.string({ unit: 'grapheme' })), (labels) => {
        const text = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
        expect(Object.fromEntries(parseStreamLabels(`{${text.join(', ')}}`))).toEqual({ ...labels });
      }),
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
