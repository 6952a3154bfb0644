import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/index.ts';
import { attributeText, type SignalBatch } from '../../../model/index.ts';
import { collect, describeReceiver, gzipBomb, LIMIT, nowMs, nowNs, openHttp } from '../contract.ts';
import type { ReceiverOptions } from '../options.ts';
import { DecodeError } from '../wire/index.ts';
import { decodeJsonRecords, decodeMsgpackRecords } from './decode.ts';
import { eventTimeNs } from './event-time.ts';
import { fluentBit } from './index.ts';
import { EventTime, type Packable, pack } from './testdata.ts';

const JSON_TYPE = { 'content-type': 'application/json', 'user-agent': 'Fluent-Bit' };
const LINES_TYPE = { 'content-type': 'application/x-ndjson' };
const MSGPACK_TYPE = { 'content-type': 'application/msgpack' };
const open = (options: ReceiverOptions) => openHttp(fluentBit, options, '/ingest/fluentbit', JSON_TYPE);

const POD = 'llama-7d9f8b6c5d-x2x9p';
const kubernetes = {
  pod_name: POD, namespace_name: 'prod', pod_id: '0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0', pod_ip: '10.0.0.7', host: 'gpu-1',
  container_name: 'vllm', docker_id: 'ab'.repeat(32), container_image: 'vllm/vllm-openai:v0.11.0', container_hash: 'sha256:1',
  labels: { 'app.kubernetes.io/name': 'llama', 'pod-template-hash': '7d9f8b6c5d' }, annotations: { 'prometheus.io/scrape': 'true' },
}; // biome-ignore format: a record
const seconds = nowMs / 1000;
const records = [
  { date: seconds + 0.123456, time: '2025-10-09T08:53:20.123456789Z', stream: 'stderr', logtag: 'F', log: 'ERROR first', kubernetes },
  { date: seconds + 1, stream: 'stdout', logtag: 'F', log: '{"level":"warn","msg":"second"}', level: 'warn', status: 500, cluster: 'eu', kubernetes },
]; // biome-ignore format: records
const events: Packable[] = records.map(({ date, ...record }) => [
  [new EventTime(BigInt(Math.round(date * 1e6)) * 1000n), {}],
  { ...record, ...('status' in record ? { status: 500n } : {}) } as Packable,
]);
const msgpack = Buffer.concat(events.map(pack));

function arrives(batches: SignalBatch[]) {
  const logs = batches.flatMap((batch) => batch.logs ?? []);
  expect(logs).toMatchObject([
    { timeNs: nowNs + 123_456_000n, body: 'ERROR first', severity: 17 },
    { timeNs: nowNs + 1_000_000_000n, body: '{"level":"warn","msg":"second"}', severity: 13, severityText: 'warn' },
  ]);
  const place = { namespace: 'prod', pod: POD, container: 'vllm', node: 'gpu-1', workload: 'llama' };
  expect(logs.map((log) => log.place)).toMatchObject([
    { ...place, cluster: 'unknown' },
    { ...place, cluster: 'eu' },
  ]);
  expect(Object.fromEntries(logs[0]?.resource ?? [])).toMatchObject({
    'k8s.pod.name': POD,
    'k8s.pod.uid': kubernetes.pod_id,
    'k8s.pod.label.pod-template-hash': '7d9f8b6c5d',
    'k8s.pod.annotation.prometheus.io/scrape': 'true',
    'container.id': kubernetes.docker_id,
    'container.image.name': kubernetes.container_image,
  });
  expect(Object.fromEntries(logs[1]?.attributes ?? [])).toEqual({
    'log.iostream': 'stdout',
    logtag: 'F',
    level: 'warn',
    status: 500n,
  });
}

const text = JSON.stringify(records);
const busy = { code: 503, retries: true };
const simpleTypes = { code: 415 };

describeReceiver('Fluent Bit in JSON', {
  open,
  good: { body: Buffer.from(text), code: 204, arrives },
  malformed: [
    { title: 'no JSON', body: Buffer.from('{"log": x}'), code: 400, text: /record 1 at byte 0: malformed JSON/ },
    { title: 'no objects', body: Buffer.from('[1, 2]'), code: 400, text: /record 1 at byte 1: / },
    { title: 'cut off', body: Buffer.from(text.slice(0, 60)), code: 400, text: /malformed JSON/ },
    {
      title: 'a record from long ago',
      body: Buffer.from('{"date":0.5,"log":"x"}'),
      code: 400,
      text: /timestamp too old/,
    },
  ],
  tooLarge: [
    { title: 'as sent', body: Buffer.alloc(LIMIT + 1, ' '), code: 413 },
    { title: 'a gzip bomb', body: gzipBomb(), headers: { 'content-encoding': 'gzip' }, code: 413 },
  ],
  simpleTypes,
  busy,
});

describeReceiver('Fluent Bit in MessagePack', {
  open,
  good: { body: msgpack, headers: MSGPACK_TYPE, code: 204, arrives },
  malformed: [
    {
      title: 'no array',
      body: pack({ log: 'x' }),
      headers: MSGPACK_TYPE,
      code: 400,
      text: /at byte 0: expected an array/,
    },
    { title: 'no map', body: pack([1n, 2n]), headers: MSGPACK_TYPE, code: 400, text: /at byte 2: expected a map/ },
    {
      title: 'cut off',
      body: pack(events[0] ?? null).subarray(0, -1),
      headers: MSGPACK_TYPE,
      code: 400,
      text: /bytes needed/,
    },
    {
      title: 'announces 4 G values',
      body: Buffer.from('9200dfffffffff', 'hex'),
      headers: MSGPACK_TYPE,
      code: 400,
      text: /8589934590 values announced, 0 bytes left/,
    },
  ],
  tooLarge: [{ title: 'as sent', body: Buffer.alloc(LIMIT + 1, ' '), headers: MSGPACK_TYPE, code: 413 }],
  simpleTypes,
  busy,
});

describe('Fluent Bit', () => {
  const send = async (body: Buffer, headers: Record<string, string> = JSON_TYPE) => {
    const ingest = collect();
    const door = await open({ ...ingest, logger: silentLogger });
    const { code, text } = await door.send(body, headers);
    await door.close();
    return {
      code,
      text,
      batches: ingest.batches,
      logs: ingest.batches.flatMap((batch) => batch.logs ?? []),
      dropped: ingest.telemetry().dropped,
    };
  };

  it.each([
    ['json_lines', records.map((record) => JSON.stringify(record)).join('\n'), LINES_TYPE],
    ['json_stream', records.map((record) => JSON.stringify(record)).join(''), JSON_TYPE],
    ['json, with space and line feeds', JSON.stringify(records, undefined, 2), JSON_TYPE],
  ])('%s is read like json', async (_title, body, headers) => {
    const { code, batches } = await send(Buffer.from(body), headers);
    expect(code).toBe(204);
    arrives(batches);
    const zipped = await send(gzipSync(body), { ...headers, 'content-encoding': 'gzip' });
    arrives(zipped.batches);
  });

  it('older chunks have the time alone, in any form; marks of groups are no records', async () => {
    const times: Packable[] = [new EventTime(nowNs), BigInt(seconds), seconds];
    const marks = [0xffff_ffffn, 0xffff_fffen].map((s) =>
      pack([[new EventTime(s * 1_000_000_000n), {}], { resource: {} }]),
    );
    const body = Buffer.concat([...marks, ...times.map((time) => pack([time, { log: 'x' }]))]);
    const { code, logs } = await send(body, MSGPACK_TYPE);
    expect(code).toBe(204);
    expect(logs.map(({ timeNs }) => timeNs)).toEqual([nowNs, nowNs, nowNs]);
  });

  it('a bad record does not take its neighbours along', async () => {
    const viaJson = await send(Buffer.from('[{"log":"a"},{"log":"b","n":01},{"log":"c"}]'));
    const viaLines = await send(Buffer.from('{"log":"a"}\n{"log":"b"\n{"log":"c"}'), LINES_TYPE);
    for (const { code, text, logs, dropped } of [viaJson, viaLines]) {
      expect(code).toBe(400);
      expect(text).toMatch(/^record 2 at byte \d+: malformed JSON/);
      expect(logs.map(({ body }) => body)).toEqual(['a', 'c']);
      expect(dropped).toMatchObject([{ reason: 'invalid', count: 1 }]);
    }
    const viaMsgpack = await send(
      Buffer.concat([pack([1n, { log: 'x' }]), pack([BigInt(seconds), { log: 'a' }]), Buffer.of(0xc1)]),
      MSGPACK_TYPE,
    );
    expect(viaMsgpack.code).toBe(400);
    expect(viaMsgpack.logs.map(({ body }) => body)).toEqual(['a']);
  });

  it.each([
    ['a number', '[5,{"log":"a"}]', ['a'], /^record 1 at byte 1: expected an object/],
    ['a text', '[{"log":"a"}, "str,]\\"", {"log":"c"}]', ['a', 'c'], /^record 2 at byte 14: expected an object/],
    ['an array', '[[1,{"log":"b"}],{"log":"a"}]', ['a'], /^record 1 at byte 1: expected an object/],
    ['a word', '[{"log":"a"},\nnul,\n{"log":"c"}]', ['a', 'c'], /^record 2 at byte 14: malformed JSON/],
    ['a line', 'nul, {"log":"b"}\n{"log":"a"}', ['a'], /^record 1 at byte 0: malformed JSON/],
  ])('an entry that is no record is refused alone: %s', async (_title, body, lines, said) => {
    const { code, text, logs, dropped } = await send(Buffer.from(body));
    expect(code).toBe(400);
    expect(text).toMatch(said);
    expect(logs.map((log) => log.body)).toEqual(lines);
    expect(dropped).toMatchObject([{ reason: 'invalid', count: 1 }]);
  });

  it('a value of MessagePack that is no record is refused alone', async () => {
    const good = (log: string) => pack([BigInt(seconds), { log }]);
    const body = Buffer.concat([good('a'), pack('str'), pack([1n, 2n]), good('c')]);
    const { code, text, logs, dropped } = await send(body, MSGPACK_TYPE);
    expect(code).toBe(400);
    expect(text).toMatch(/^record 2: malformed MessagePack at byte \d+: expected an array/);
    expect(logs.map((log) => log.body)).toEqual(['a', 'c']);
    expect(dropped).toMatchObject([{ reason: 'invalid', count: 2 }]);
  });

  it('a record whose date cannot be read is kept with it, of its arrival, and counted', async () => {
    const { code, logs, dropped } = await send(Buffer.from('[{"date":"nonsense","log":"a"}]'));
    expect(code).toBe(204);
    expect(logs).toMatchObject([{ timeNs: nowNs, body: 'a' }]);
    expect(logs[0]?.attributes.get('date')).toBe('nonsense');
    expect(dropped).toMatchObject([{ reason: 'invalid', count: 1, example: expect.stringContaining('"nonsense"') }]);
  });

  it('a byte order mark before JSON is passed over', async () => {
    const { code, batches } = await send(Buffer.from(`\ufeff${text}`));
    expect(code).toBe(204);
    arrives(batches);
  });

  it('a record without a time is of its arrival, and says so', async () => {
    const { code, logs } = await send(Buffer.from('{"log":"a"}'));
    expect(code).toBe(204);
    expect(logs).toMatchObject([{ timeNs: nowNs, body: 'a' }]);
    const arrivalTimed = async (body: string) =>
      (await decodeJsonRecords(Buffer.from(body), { observedNs: nowNs, tag: '' })).arrivalTimed;
    expect(await arrivalTimed('{"log":"a"}{"date":1,"log":"b"}')).toBe(true);
    expect(await arrivalTimed('{"date":1,"log":"b"}')).toBe(false);
  });

  it.each([
    ['tail of a container file without a kubernetes filter, by its tag', { log: 'x' }, { body: 'x', place: { namespace: 'prod', pod: POD, container: 'vllm' } }],
    ['the same by Path_Key', { log: 'x', filename: `/var/log/containers/${POD}_prod_vllm-${'ab'.repeat(32)}.log` }, { place: { pod: POD } }],
    ['the journal', { MESSAGE: 'NVRM: Xid', PRIORITY: '4', _HOSTNAME: 'gpu-1' }, { body: 'NVRM: Xid', severity: 13 }],
    ['metrics without a line', { cpu_p: 1.5, mem: { used: 7 } }, { body: '{"cpu_p":1.5,"mem":{"used":7}}' }],
    ['a merged log', { log: '{"a":1}', a: 1, trace_id: 'ab'.repeat(16), 'x-request-id': 'r-1' }, { body: '{"a":1}', traceId: 'ab'.repeat(16) }],
    ['a line feed at the end', { log: 'x\n' }, { body: 'x\n' }],
  ])('records of %s', async (_title, record, expected) => {
    const body = Buffer.from(JSON.stringify([{ date: seconds, ...record }]));
    const { code, logs } = await send(body, { ...JSON_TYPE, 'fluent-tag': `kube.var.log.containers.${POD}_prod_vllm-${'ab'.repeat(32)}.log` });
    expect(code).toBe(204);
    expect(logs).toMatchObject([expected]);
  }); // biome-ignore format: a table

  it.each([
    ['escaped', '{"date":1,"log":"x","kubernetes":{"pod_name":"p"}}', 'p'],
    ['with space', '{"date":1,"log":"x", "kubernetes" : {"pod_name":"p"}}', 'p'],
    ['in a text', '{"date":1,"log":"{\\"kubernetes\\":{\\"pod_name\\":\\"q\\"}}","kubernetes":{"pod_name":"p"}}', 'p'],
    [
      'in another object',
      '{"date":1,"log":"x","a":{"kubernetes":{"pod_name":"q"}},"kubernetes":{"pod_name":"p"}}',
      'p',
    ],
    ['twice', '{"date":1,"log":"x","kubernetes":{"pod_name":"q"},"kubernetes":{"pod_name":"p"}}', 'p'],
    ['not an object', '{"date":1,"log":"x","kubernetes":"p"}', undefined],
    ['empty', '{"date":1,"log":"x","kubernetes":{}}', undefined],
  ])('the kubernetes record is found: %s', async (_title, record, pod) => {
    // Twice, since the second is found by the bytes of the first.
    const { logs } = await decodeJsonRecords(Buffer.from(record + record), { observedNs: 0n, tag: '' });
    expect(logs.map(({ resource }) => resource.get('k8s.pod.name'))).toEqual([pod, pod]);
    expect(logs[1]?.resource).toBe(logs[0]?.resource);
    expect(logs[0]?.attributes.has('kubernetes')).toBe(false);
  });

  it('pieces and stack traces of one container become one line each', async () => {
    const line = (log: string, logtag = 'F') => ({ date: seconds, stream: 'stderr', logtag, log, kubernetes });
    const other = { ...line('other'), kubernetes: { ...kubernetes, container_name: 'proxy' } };
    const lines = [
      line('half ', 'P'),
      other,
      line('whole'),
      line('ValueError: x'),
      line('Traceback (most recent call last):'),
      other,
      line('  File "a.py"'),
      line('ValueError: x'),
    ];
    const { logs } = await send(Buffer.from(JSON.stringify(lines)));
    expect(logs.filter(({ place }) => place.container === 'vllm').map(({ body }) => body)).toEqual([
      'half whole',
      'ValueError: x',
      'Traceback (most recent call last):\n  File "a.py"\nValueError: x',
    ]);
    expect(logs.filter(({ place }) => place.container === 'proxy')).toHaveLength(2);
  });

  it('bytes that are not UTF-8 stay in sight', async () => {
    const viaJson = await send(Buffer.from(`[{"date":${seconds},"log":"caf\xe9"}]`, 'latin1'));
    const viaMsgpack = await send(
      Buffer.concat([
        Buffer.of(0x92),
        pack(seconds),
        Buffer.of(0x81),
        pack('log'),
        Buffer.from('\xa4caf\xe9', 'latin1'),
      ]),
      MSGPACK_TYPE,
    );
    const viaBin = await send(pack([seconds, { log: Buffer.from('caf\xe9', 'latin1') }]), MSGPACK_TYPE);
    for (const { code, logs } of [viaJson, viaMsgpack, viaBin]) {
      expect(code).toBe(204);
      expect(logs.map(({ body }) => body)).toEqual(['caf\\xe9']);
    }
  });

  it('another content type is refused', async () => {
    expect(await send(Buffer.from(text), { 'content-type': 'application/xml' })).toMatchObject({ code: 415, logs: [] });
  });

  it('secrets in keys of records are hidden', async () => {
    const { logs } = await send(
      Buffer.from(
        JSON.stringify({ date: seconds, log: 'x', password: 'hunter22', req: { authorization: 'Bearer abcdefgh12' } }),
      ),
    );
    const entries = logs[0]?.attributes ?? new Map();
    expect(attributeText({ kind: 'map', entries })).toBe(
      '{"password":"[redacted:password]","req":{"authorization":"[redacted:bearer]"}}',
    );
  });

  it.each([
    [1_760_000_000n, 1_760_000_000_000_000_000n],
    [1_760_000_000_123n, 1_760_000_000_123_000_000n],
    [1_760_000_000_123_456_789n, 1_760_000_000_123_456_789n],
    [1760000000.123457, 1_760_000_000_123_457_000n],
    [0.5, 500_000_000n],
    ['2026-12-01T14:46:59.123456Z', 1_796_136_419_123_456_000n],
    ['2026-12-01 14:46:59.123456', 1_796_136_419_123_456_000n],
    ['2026-12-01T15:46:59+01:00', 1_796_136_419_000_000_000n],
    ['yesterday', undefined],
    [Number.NaN, undefined],
    [null, undefined],
    [-1n, undefined],
  ])('a date of %s is %s', (value, expected) => {
    expect(eventTimeNs(value)).toBe(expected);
  });

  it('any bytes decode or throw DecodeError', async () => {
    const context = { observedNs: 0n, tag: '' };
    const mutated = (good: Buffer) =>
      fc.tuple(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length)).map(([at, byte, end]) => {
        const copy = Buffer.from(good);
        copy[at] = byte;
        return copy.subarray(0, Math.max(end, 1));
      });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((b) => Buffer.from(b)),
      fc.json().map((json) => Buffer.from(json)),
      mutated(msgpack),
      mutated(Buffer.from(text)),
    );
    const onlyOwn = (error: unknown) => expect(error).toBeInstanceOf(DecodeError);
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        await decodeJsonRecords(body, context).catch(onlyOwn);
        await decodeMsgpackRecords(body, context).catch(onlyOwn);
      }),
      { numRuns: 1000 },
    );
  });

  it('any record comes out as it went in, in both encodings', async () => {
    const { value } = fc.letrec<{ value: Packable }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.string(),
        fc.boolean(),
        fc.constant(null),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
      ),
    }));
    const context = { observedNs: 0n, tag: '' };
    const stringify = (item: Packable): string => {
      if (typeof item === 'bigint') return `${item}`;
      if (Array.isArray(item)) return `[${item.map(stringify)}]`;
      if (item === null || typeof item !== 'object') return JSON.stringify(item);
      return `{${Object.entries(item).map(([name, inner]) => `${JSON.stringify(name)}:${stringify(inner as Packable)}`)}}`; // what pack takes
    };
    await fc.assert(
      fc.asyncProperty(fc.string(), value, async (log, extra) => {
        const viaMsgpack = await decodeMsgpackRecords(pack([1n, { log, extra }]), context);
        const viaJson = await decodeJsonRecords(Buffer.from(stringify({ date: 1n, log, extra })), context);
        expect(viaMsgpack.logs).toEqual(viaJson.logs);
        expect(viaMsgpack.logs).toMatchObject([{ body: log, timeNs: 1_000_000_000n }]);
      }),
    );
  });
});
