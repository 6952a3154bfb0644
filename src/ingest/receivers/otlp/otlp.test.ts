import { gzipSync } from 'node:zlib';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/index.ts';
import type { SignalBatch } from '../../../model/index.ts';
import { startGrpcDoors } from '../../doors/index.ts';
import {
  type Answer,
  carried,
  collect,
  type Door,
  describeReceiver,
  gzipBomb,
  LIMIT,
  nowMs,
  nowNs,
  openHttp,
  sampleLines,
} from '../contract.ts';
import type { ReceiverOptions } from '../options.ts';
import { DecodeError, ProtoReader, ProtoWriter } from '../wire/index.ts';
import { otlp } from './index.ts';
import { decodeLogsJson } from './json-logs.ts';
import { decodeMetricsJson } from './json-metrics.ts';
import { decodeTracesJson } from './json-traces.ts';
import { decodeLogsProtobuf } from './protobuf-logs.ts';
import { decodeMetricsProtobuf } from './protobuf-metrics.ts';
import { decodeTracesProtobuf } from './protobuf-traces.ts';
import {
  anyValue,
  exemplar,
  exponential,
  exportRequest,
  gauge,
  histogram,
  keyValues,
  logRecord,
  numberPoint,
  type PlainSpan,
  span,
  sum,
} from './testdata.ts';
import { createTranslator } from './translate.ts';

const RESOURCE = {
  'service.name': 'gateway',
  'k8s.cluster.name': 'prod-eu',
  'k8s.pod.name': 'gateway-7d9f8b6c5d-x2x9p',
};
const SPAN: PlainSpan = {
  traceId: '5b8efff798038103d269b633813fc60c',
  spanId: 'eee19b7ec3c1b174',
  parent: 'eee19b7ec3c1b173',
  name: 'POST /v1/chat',
  kind: 2,
  startNs: nowNs,
  endNs: nowNs + 1_234_567_891n,
  attributes: {
    'gen_ai.usage.input_tokens': 9007199254740993n,
    ratio: 0.5,
    ok: true,
    tags: ['a', 1n],
    nested: { a: { b: 'c' } },
  },
  status: { code: 2, message: 'boom' },
};
const goodTraces = exportRequest(RESOURCE, [span(SPAN)]);
const goodTracesJson = Buffer.from(
  JSON.stringify({
    resourceSpans: [
      {
        resource: {
          attributes: Object.entries(RESOURCE).map(([key, stringValue]) => ({ key, value: { stringValue } })),
        },
        scopeSpans: [
          {
            scope: { name: 'lib', version: '1.0' },
            spans: [
              {
                traceId: SPAN.traceId.toUpperCase(),
                spanId: SPAN.spanId,
                parentSpanId: SPAN.parent,
                name: SPAN.name,
                kind: 2,
                startTimeUnixNano: `${SPAN.startNs}`,
                endTimeUnixNano: '#END',
                unknownField: [{}],
                attributes: [
                  { key: 'gen_ai.usage.input_tokens', value: { intValue: '9007199254740993' } },
                  { key: 'ratio', value: { doubleValue: 0.5 } },
                  { key: 'ok', value: { boolValue: true } },
                  { key: 'tags', value: { arrayValue: { values: [{ stringValue: 'a' }, { intValue: 1 }] } } },
                  {
                    key: 'nested',
                    value: {
                      kvlistValue: {
                        values: [
                          { key: 'a', value: { kvlistValue: { values: [{ key: 'b', value: { stringValue: 'c' } }] } } },
                        ],
                      },
                    },
                  },
                ],
                status: { code: 2, message: 'boom' },
              },
            ],
          },
        ],
      },
    ],
  }).replace('"#END"', `${SPAN.endNs}`),
); // the end as a bare number, beyond what a double holds

function spanArrives(batches: SignalBatch[]) {
  expect(batches.flatMap((batch) => batch.spans ?? [])).toEqual([
    {
      traceId: SPAN.traceId,
      spanId: SPAN.spanId,
      parentSpanId: SPAN.parent,
      name: 'POST /v1/chat',
      kind: 'server',
      startNs: nowNs,
      endNs: nowNs + 1_234_567_891n,
      status: 'error',
      statusMessage: 'boom',
      resource: new Map(Object.entries(RESOURCE)),
      attributes: new Map<string, unknown>([
        ['gen_ai.usage.input_tokens', 9007199254740993n],
        ['ratio', 0.5],
        ['ok', true],
        ['tags', ['a', 1n]],
        ['nested', { kind: 'map', entries: new Map([['a', { kind: 'map', entries: new Map([['b', 'c']]) }]]) }],
      ]),
      scope: { name: 'lib', version: '1.0' },
      events: [],
      links: [],
      traceState: '',
      flags: 0,
      place: {
        cluster: 'prod-eu',
        namespace: '',
        workload: 'gateway',
        pod: 'gateway-7d9f8b6c5d-x2x9p',
        container: '',
        node: '',
        service: 'gateway',
      },
    },
  ]);
}

/** The message of a google.rpc.Status in protobuf. */
function statusText(bytes: Buffer): string {
  const reader = new ProtoReader(bytes);
  let text = '';
  while (reader.more(bytes.length)) {
    const tag = reader.tag();
    if (tag === ((2 << 3) | 2)) text = reader.string();
    else reader.skip(tag);
  }
  return text;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const PROTOBUF_TYPE = { 'content-type': 'application/x-protobuf' };
const openJson = (options: ReceiverOptions) => openHttp(otlp, options, '/v1/traces', JSON_TYPE);
const openProtobuf = (options: ReceiverOptions) => openHttp(otlp, options, '/v1/traces', PROTOBUF_TYPE);
const busy = { code: 503, retries: true };

describeReceiver('OTLP HTTP in protobuf', {
  open: openProtobuf,
  good: { body: goodTraces, code: 200, arrives: spanArrives },
  malformed: [
    { title: 'not protobuf', body: Buffer.from([0x0a, 0xff]), code: 400, text: /at byte 2: ends inside a number/ },
    { title: 'cut off', body: goodTraces.subarray(0, -5), code: 400, text: /malformed protobuf at byte \d+/ },
    { title: 'an unknown encoding', body: Buffer.from([0x0b]), code: 400, text: /wire type 3/ },
    {
      title: 'damaged gzip',
      body: Buffer.from('nonsense'),
      headers: { 'content-encoding': 'gzip' },
      code: 400,
      text: /gzip/,
    },
    {
      title: 'only spans without ids',
      body: exportRequest({}, [span({ ...SPAN, traceId: '' })]),
      code: 400,
      text: /span "POST \/v1\/chat" at byte \d+: its trace id/,
    },
  ],
  tooLarge: [
    { title: 'as sent', body: Buffer.alloc(LIMIT + 1), code: 413 },
    { title: 'a gzip bomb', body: gzipBomb(), headers: { 'content-encoding': 'gzip' }, code: 413 },
  ],
  simpleTypes: { code: 415 },
  busy,
});

describeReceiver('OTLP HTTP in JSON', {
  open: openJson,
  good: { body: gzipSync(goodTracesJson), headers: { 'content-encoding': 'gzip' }, code: 200, arrives: spanArrives },
  malformed: [
    { title: 'no JSON', body: Buffer.from('{"resourceSpans":[}'), code: 400, text: /line 1, column 19/ },
    { title: 'not UTF-8', body: Buffer.from([0x22, 0xff, 0x22]), code: 400, text: /UTF-8/ },
    {
      title: 'a wrong level',
      body: Buffer.from('{"resourceSpans":{}}'),
      code: 400,
      text: /resourceSpans: expected an array, found an object/,
    },
    {
      title: 'an id that is no hex',
      body: Buffer.from(goodTracesJson.toString().replace(SPAN.spanId, 'xyz')),
      code: 400,
      text: /resourceSpans\[0\]\.scopeSpans\[0\]\.spans\[0\]\.spanId: expected hexadecimal/,
    },
    {
      title: 'a time that is no number',
      body: Buffer.from(goodTracesJson.toString().replace(`"${nowNs}"`, '"now"')),
      code: 400,
      text: /spans\[0\]\.startTimeUnixNano: expected a whole number, found a string of 3 characters/,
    },
    {
      title: 'an enum by name',
      body: Buffer.from(goodTracesJson.toString().replace('"kind":2', '"kind":"SPAN_KIND_SERVER"')),
      code: 400,
      text: /kind: expected a whole number/,
    },
  ],
  tooLarge: [
    { title: 'as sent', body: Buffer.alloc(LIMIT + 1, ' '), code: 413 },
    { title: 'a gzip bomb', body: gzipBomb(), headers: { 'content-encoding': 'gzip' }, code: 413 },
  ],
  simpleTypes: { code: 415 },
  busy,
});

/** The service as a gRPC client sees it, with or without compression. */
async function openGrpc(
  options: ReceiverOptions,
  compression = 0,
  service = 'trace.v1.TraceService',
  through = carried(otlp, options),
): Promise<Door> {
  const server = await startGrpcDoors('127.0.0.1:0', otlp.doors, through);
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure(), {
    'grpc.default_compression_algorithm': compression,
    'grpc.max_send_message_length': -1,
  });
  const same = (bytes: Buffer) => bytes;
  return {
    send: (body) =>
      new Promise<Answer>((resolve) => {
        const path = `/opentelemetry.proto.collector.${service}/Export`;
        client.makeUnaryRequest(
          path,
          same,
          same,
          body,
          new Metadata(),
          (error: ServiceError | null, answer?: Buffer) => {
            if (error === null) return resolve({ code: 0, text: answer?.toString('hex') ?? '' });
            const details = error.metadata.get('grpc-status-details-bin')[0];
            const retryAfterSeconds = details instanceof Buffer ? retrySeconds(details) : undefined;
            resolve({
              code: error.code,
              text: error.details,
              ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
            });
          },
        );
      }),
    async close() {
      client.close();
      await server.close();
    },
  };
}

/** Digs `retry_delay.seconds` out of Status.details[0].value. */
function retrySeconds(status: Buffer): number | undefined {
  let found: number | undefined;
  const dig = (bytes: Buffer, path: number[]) => {
    const [field, ...rest] = path;
    const reader = new ProtoReader(bytes);
    while (reader.more(bytes.length)) {
      const tag = reader.tag();
      if (tag >>> 3 !== field) reader.skip(tag);
      else if (rest.length === 0) found = reader.int64();
      else {
        const end = reader.length();
        dig(bytes.subarray(reader.pos, end), rest);
        reader.pos = end;
      }
    }
  };
  dig(status, [3, 2, 1, 1]);
  return found;
}

const INVALID_ARGUMENT = 3;
const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;

describe.each([
  ['plain', 0],
  ['gzip', 2],
])('%s', (name, compression) => {
  describeReceiver(`OTLP gRPC, ${name}`, {
    open: (options) => openGrpc(options, compression),
    good: { body: goodTraces, code: 0, arrives: spanArrives },
    malformed: [
      {
        title: 'cut off',
        body: goodTraces.subarray(0, -5),
        code: INVALID_ARGUMENT,
        text: /malformed protobuf at byte \d+/,
      },
      {
        title: 'only spans without ids',
        body: exportRequest({}, [span({ ...SPAN, spanId: '00'.repeat(8) })]),
        code: INVALID_ARGUMENT,
        text: /its span id/,
      },
    ],
    tooLarge: [{ title: 'a message of zeros', body: Buffer.alloc(8 * LIMIT), code: RESOURCE_EXHAUSTED }],
    busy: { code: UNAVAILABLE, retries: true },
  });
});

it.each([
  ['as sent', 0],
  ['once unpacked', 2],
])('a gRPC message that is too large %s is counted', async (_title, compression) => {
  const ingest = collect();
  const door = await openGrpc({ ...ingest, logger: silentLogger, limits: { maxBodyBytes: LIMIT } }, compression);
  expect(await door.send(Buffer.alloc(8 * LIMIT))).toMatchObject({ code: RESOURCE_EXHAUSTED });
  expect(ingest.telemetry().dropped).toMatchObject([{ reason: 'oversize', signal: 'spans', count: 1 }]);
  await door.close();
});

describe('OTLP', () => {
  it('answers a partial success with the count and a text, and keeps the neighbours', async () => {
    const ingest = collect();
    const door = await openProtobuf({ ...ingest, logger: silentLogger });
    const body = exportRequest(RESOURCE, [span({ ...SPAN, traceId: 'ff' }), span(SPAN)]);
    const { code, text } = await door.send(body);
    expect(code).toBe(200);
    expect(text).toContain('its trace id \\"ff\\"'.replaceAll('\\', ''));
    spanArrives(ingest.batches);
    expect(ingest.telemetry().dropped).toMatchObject([{ reason: 'invalid', signal: 'spans', count: 1 }]);
    await door.close();
  });

  it('answers a partial success in JSON as protobuf’s JSON mapping has it', async () => {
    const ingest = collect();
    const door = await openHttp(otlp, { ...ingest, logger: silentLogger }, '/v1/logs', JSON_TYPE);
    const records = [
      { timeUnixNano: `${nowNs}`, body: { stringValue: 'kept' } },
      { timeUnixNano: '1', body: { stringValue: 'old' } },
    ];
    const answer = await door.send(
      Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] })),
    );
    expect(answer.code).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({
      partialSuccess: { rejectedLogRecords: '1', errorMessage: expect.stringContaining('too old') },
    });
    await door.close();
  });

  it.each(['/v1/traces', '/v1/metrics', '/v1/logs'])('takes an empty request at %s', async (url) => {
    const ingest = collect();
    const inJson = await openHttp(otlp, { ...ingest, logger: silentLogger }, url, JSON_TYPE);
    expect(await inJson.send(Buffer.from('{}'))).toMatchObject({ code: 200, text: '{}' });
    expect(await inJson.send(Buffer.alloc(0), PROTOBUF_TYPE)).toMatchObject({ code: 200, text: '' });
    await inJson.close();
  });

  it('says bad data in protobuf as google.rpc.Status', async () => {
    const ingest = collect();
    const door = await openProtobuf({ ...ingest, logger: silentLogger });
    const { text } = await door.send(Buffer.from([0x0a, 0x05, 0x00]));
    expect(statusText(Buffer.from(text))).toMatch(/^malformed protobuf at byte 1: 5 bytes announced/);
    await door.close();
  });

  it('the same logs by protobuf and JSON are the same records', async () => {
    const attributes = { n: 9223372036854775807n, 'k8s.pod.name': 'a-0' };
    const viaProtobuf = await decodeLogsProtobuf(
      exportRequest(RESOURCE, [
        logRecord(nowNs, 'text', attributes),
        logRecord(0n, { log: 'x', kubernetes: { pod_name: 'p' } }),
      ]),
      77n,
    );
    const value = (v: object) => ({ value: v });
    const asJson = {
      resourceLogs: [
        {
          resource: {
            attributes: Object.entries(RESOURCE).map(([key, stringValue]) => ({ key, ...value({ stringValue }) })),
          },
          scopeLogs: [
            {
              scope: { name: 'lib', version: '1.0' },
              logRecords: [
                {
                  timeUnixNano: `${nowNs}`,
                  severityNumber: 9,
                  severityText: 'INFO',
                  body: { stringValue: 'text' },
                  attributes: [
                    { key: 'n', ...value({ intValue: '9223372036854775807' }) },
                    { key: 'k8s.pod.name', ...value({ stringValue: 'a-0' }) },
                  ],
                },
                {
                  severityNumber: 9,
                  severityText: 'INFO',
                  body: {
                    kvlistValue: {
                      values: [
                        { key: 'log', ...value({ stringValue: 'x' }) },
                        {
                          key: 'kubernetes',
                          ...value({ kvlistValue: { values: [{ key: 'pod_name', ...value({ stringValue: 'p' }) }] } }),
                        },
                      ],
                    },
                  },
                },
              ],
            },
          ],
        },
      ],
    };
    const viaJson = await decodeLogsJson(Buffer.from(JSON.stringify(asJson)), 77n);
    expect(viaJson.logs).toEqual(viaProtobuf.logs);
    expect(viaProtobuf.logs[1]).toMatchObject({
      timeNs: 77n,
      observedNs: 77n,
      body: '{"log":"x","kubernetes":{"pod_name":"p"}}',
    });
  });

  it('one door takes metrics by gRPC under Prometheus names', async () => {
    const ingest = collect();
    const door = await openGrpc({ ...ingest, logger: silentLogger }, 0, 'metrics.v1.MetricsService');
    expect(
      await door.send(
        exportRequest(RESOURCE, [gauge('queue.size', '{request}', numberPoint(nowNs, 7n, { 'model.name': 'qwen' }))]),
      ),
    ).toMatchObject({ code: 0, text: '' });
    expect(sampleLines(ingest.batches)).toContain(
      `queue_size{job="gateway", k8s_cluster_name="prod-eu", k8s_pod_name="gateway-7d9f8b6c5d-x2x9p", model_name="qwen"} 7 @${nowMs}`,
    );
    expect(ingest.batches[0]?.samples?.series[0]?.cluster).toBe('prod-eu');
    await door.close();
  });

  it('adds up one delta stream over all its doors', async () => {
    const ingest = collect();
    const options = { ...ingest, logger: silentLogger };
    const through = carried(otlp, options);
    const first = await openHttp(otlp, options, '/v1/metrics', PROTOBUF_TYPE, through);
    const second = await openHttp(otlp, options, '/v1/metrics', PROTOBUF_TYPE, through);
    const grpc = await openGrpc(options, 0, 'metrics.v1.MetricsService', through);
    for (const [i, door] of [first, second, grpc, first].entries()) {
      const timeNs = nowNs + BigInt(i) * 1_000_000n;
      await door.send(exportRequest(RESOURCE, [sum('hits', '', 1, true, numberPoint(timeNs, 5n))]));
    }
    const hits = sampleLines(ingest.batches).filter((line) => line.startsWith('hits_total'));
    expect(hits.map((line) => line.replace(/.*} /, ''))).toEqual(
      [5, 10, 15, 20].map((total, i) => `${total} @${nowMs + i}`),
    );
    for (const door of [first, second, grpc]) await door.close();
  });

  it('does not follow values nested without end', async () => {
    let value = new ProtoWriter().bytes(1, 'x');
    for (let i = 0; i < 200; i++) value = new ProtoWriter().bytes(5, new ProtoWriter().bytes(1, value));
    const record = new ProtoWriter().bytes(5, value);
    const { invalid } = await decodeLogsProtobuf(exportRequest({}, [record]), 0n);
    expect(invalid.example).toMatch(/nested more than 64 deep/);
    const json = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${'{"arrayValue":{"values":['.repeat(70)}${']}}'.repeat(70)}}]}]}]}`;
    expect((await decodeLogsJson(Buffer.from(json), 0n)).invalid.example).toMatch(/nested more than 64 deep/);
  });

  it.each([
    [
      'severityNumber',
      { severityNumber: '9007199254740993' },
      'severityNumber: 9007199254740993 is not a 32-bit number',
    ],
    ['flags', { flags: 4294967296 }, 'flags: 4294967296 is not a 32-bit number'],
    [
      'an attribute',
      { attributes: [{ key: 'n', value: { intValue: '9223372036854775808' } }] },
      'attributes[0].value.intValue: 9223372036854775808 is not a signed 64-bit number',
    ],
    ['a time', { timeUnixNano: '-1' }, 'timeUnixNano: -1 is not an unsigned 64-bit number'],
  ])('refuses a number out of range alone: %s', async (_title, bad, example) => {
    const edge = { severityNumber: 24, flags: 4294967295, body: { intValue: '-9223372036854775808' } };
    const json = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [edge, bad, edge] }] }] });
    const { logs, invalid } = await decodeLogsJson(Buffer.from(json), 0n);
    expect(logs.map((log) => [log.severity, log.flags, log.body])).toEqual(
      Array(2).fill([24, 4294967295, '-9223372036854775808']),
    );
    expect(invalid).toMatchObject({
      count: 1,
      example: `resourceLogs[0].scopeLogs[0].logRecords[1].${example}`,
    });
  });

  it('refuses a point alone whose number is out of range', async () => {
    const sum = (name: string, point: object) => ({ name, sum: { dataPoints: [point] } });
    const metrics = [sum('ok', { asInt: '-1' }), sum('big', { asInt: '18446744073709551615' })];
    const { metrics: kept, invalid } = await decodeMetricsJson(
      Buffer.from(JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })),
    );
    expect(kept.map(({ data }) => 'points' in data && data.points.length)).toEqual([1, 0]);
    expect(invalid.example).toBe(
      'resourceMetrics[0].scopeMetrics[0].metrics[1].sum.dataPoints[0].asInt: 18446744073709551615 is not a signed 64-bit number',
    );
  });

  it('one damaged span costs nobody else, whichever byte of it is damaged, in protobuf', async () => {
    const spans = Array.from({ length: 5 }, (_, i) => span({ ...SPAN, spanId: `00000000000000a${i}` }));
    const before = exportRequest(RESOURCE, spans.slice(0, 2)).length;
    const own = exportRequest(RESOURCE, spans.slice(0, 3)).length - before;
    const whole = exportRequest(RESOURCE, spans);
    // The third span's bytes begin where a request with two of them would end, a few bytes later for longer lengths.
    const start = whole.indexOf(Buffer.from('00000000000000a2', 'hex')) - 20;
    await fc.assert(
      fc.asyncProperty(fc.nat(own - 10), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const body = Buffer.from(whole);
        body[start + at] = (body[start + at] ?? 0) ^ flip;
        const { spans: kept, invalid } = await decodeTracesProtobuf(body);
        const ids = kept.map(({ spanId }) => spanId);
        expect(ids).toEqual(expect.arrayContaining([0, 1, 3, 4].map((i) => `00000000000000a${i}`)));
        expect(kept.length + invalid.count).toBe(5);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a wrong type', '"name":"bad"', '"name":7'],
    ['no JSON', '"name":"bad"', '"name":bad'],
    ['a number out of range', '"name":"bad"', '"name":"bad","kind":1e99'],
    ['an id that is too short', 'a1"', '"'],
  ])('one damaged span costs nobody else in JSON: %s', async (_title, from, to) => {
    const spans = [0, 1, 2].map((i) => ({
      traceId: SPAN.traceId,
      spanId: `00000000000000a${i}`,
      name: i === 1 ? 'bad' : 'good',
    }));
    const json = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }).replace(from, to);
    const { spans: kept, invalid } = await decodeTracesJson(Buffer.from(json));
    expect(kept.map(({ name }) => name)).toEqual(['good', 'good']);
    expect(invalid).toMatchObject({
      count: 1,
      example: expect.stringMatching(/^resourceSpans\[0\]\.scopeSpans\[0\]\.spans\[1\]|^malformed JSON/),
    });
  });

  it('a span that ends before it starts is kept without a duration, and counted', async () => {
    const json = JSON.parse(goodTracesJson.toString());
    const [one] = json.resourceSpans[0].scopeSpans[0].spans;
    one.endTimeUnixNano = `${BigInt(one.startTimeUnixNano) - 1n}`;
    const bodies = [
      await decodeTracesJson(Buffer.from(JSON.stringify(json))),
      await decodeTracesProtobuf(exportRequest(RESOURCE, [span({ ...SPAN, endNs: SPAN.startNs - 1n })])),
    ];
    for (const { spans, backwards, invalid } of bodies) {
      expect(spans[0]?.endNs).toBe(spans[0]?.startNs);
      expect(backwards).toMatchObject({ count: 1, example: expect.stringContaining('ends before it starts') });
      expect(invalid.count).toBe(0);
    }
    const ingest = collect();
    const door = await openHttp(otlp, { ...ingest, logger: silentLogger }, '/v1/traces', JSON_TYPE);
    const answer = await door.send(Buffer.from(JSON.stringify(json)));
    await door.close();
    expect(JSON.parse(answer.text)).toEqual({});
    expect(ingest.telemetry().dropped).toMatchObject([{ signal: 'spans', reason: 'invalid', count: 1 }]);
  });

  it('an event without a time happened when its span started', async () => {
    const json = JSON.parse(goodTracesJson.toString());
    json.resourceSpans[0].scopeSpans[0].spans[0].events = [{ name: 'e' }];
    const body = exportRequest(RESOURCE, [span(SPAN).bytes(11, new ProtoWriter().bytes(2, 'e'))]);
    const bodies = [await decodeTracesJson(Buffer.from(JSON.stringify(json))), await decodeTracesProtobuf(body)];
    for (const { spans } of bodies) expect(spans[0]?.events[0]?.timeNs).toBe(spans[0]?.startNs);
  });

  it.each([
    ['bounds that do not grow', 'histogram', { count: 1, bucketCounts: [0, 1, 0], explicitBounds: [2, 1] }, /grow, but 1 comes after 2$/],
    ['equal bounds', 'histogram', { count: 1, bucketCounts: [0, 1, 0], explicitBounds: [2, 2] }, /grow, but 2 comes after 2$/],
    ['a bound that is none', 'histogram', { count: 1, bucketCounts: [0, 1], explicitBounds: ['NaN'] }, /NaN is no bound of a histogram$/],
    ['no number', 'gauge', {}, /neither asInt nor asDouble/],
  ])('a point with %s is refused with its place, its neighbour is kept', async (_title, kind, point, said) => {
    const time = { timeUnixNano: `${nowNs}` };
    const good = kind === 'gauge' ? { asInt: 0 } : { count: 1, bucketCounts: [1, 0], explicitBounds: [1] };
    const data = { aggregationTemporality: 2, dataPoints: [{ ...time, ...point }, { ...time, ...good }, { ...time, flags: 1 }] };
    const body = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', [kind]: data }] }] }] };
    const { metrics, invalid } = await decodeMetricsJson(Buffer.from(JSON.stringify(body)));
    expect(metrics[0]?.data).toMatchObject({ points: [{ noValue: false }, { noValue: true }] });
    expect(invalid.count).toBe(1);
    expect(invalid.example).toMatch(new RegExp(`${kind}\\.dataPoints\\[0\\]`));
    expect(invalid.example).toMatch(said);
  }); // biome-ignore format: a table

  it('such points are refused in protobuf, too', async () => {
    const { invalid, metrics } = await decodeMetricsProtobuf(
      exportRequest(RESOURCE, [
        histogram('h', '', 2, { timeNs: nowNs, count: 1n, sum: 1, counts: [0n, 1n, 0n], bounds: [2, 1] }),
        gauge('g', '', new ProtoWriter().fixed64(3, nowNs), numberPoint(nowNs, 0)),
      ]),
    );
    expect(metrics.map(({ data }) => ('points' in data ? data.points.length : -1))).toEqual([0, 1]);
    expect(invalid).toMatchObject({ count: 2, example: expect.stringMatching(/^data point at byte \d+: bounds/) });
  });

  it('a resource that cannot be read costs only its own items', async () => {
    const bad = new ProtoWriter().bytes(
      1,
      new ProtoWriter().bytes(1, new ProtoWriter().bytes(1, Buffer.from([0x0a, 9]))),
    );
    const { spans, invalid } = await decodeTracesProtobuf(Buffer.concat([goodTraces, bad.finish(), goodTraces]));
    expect(spans).toHaveLength(2);
    expect(invalid).toMatchObject({ count: 1, example: expect.stringContaining('malformed protobuf') });
    const json = JSON.parse(goodTracesJson.toString());
    json.resourceSpans.splice(0, 0, { resource: { attributes: 7 }, scopeSpans: json.resourceSpans[0].scopeSpans });
    const viaJson = await decodeTracesJson(Buffer.from(JSON.stringify(json)));
    expect(viaJson.spans).toHaveLength(1);
    expect(viaJson.invalid.example).toBe('resourceSpans[0].resource.attributes: expected an array, found number 7');
  });

  it('keeps all of a span, its events, links and scope, by protobuf and JSON alike', async () => {
    const link = { traceId: SPAN.traceId, spanId: 'eee19b7ec3c1b175' };
    const whole = span(SPAN)
      .bytes(3, 'vendor=1')
      .varint(10, 1)
      .bytes(11, keyValues(3, { n: 1n }, new ProtoWriter().fixed64(1, nowNs).bytes(2, 'first token').varint(4, 2)))
      .varint(12, 3)
      .bytes(
        13,
        keyValues(4, { why: 'retry' }, new ProtoWriter())
          .bytes(1, Buffer.from(link.traceId, 'hex'))
          .bytes(2, Buffer.from(link.spanId, 'hex'))
          .bytes(3, 'k=v')
          .raw(Uint8Array.of((6 << 3) | 5, 1, 1, 0, 0)),
      )
      .varint(14, 4)
      .raw(Uint8Array.of(0x85, 0x01, 1, 3, 0, 0)); // field 16, fixed32
    const scope = keyValues(3, { build: 7n }, new ProtoWriter().bytes(1, 'lib').bytes(2, '1.0'));
    const body = new ProtoWriter().bytes(
      1,
      new ProtoWriter()
        .bytes(3, 'https://schemas/resource')
        .bytes(2, new ProtoWriter().bytes(2, whole).bytes(1, scope).bytes(3, 'https://schemas/1'))
        .bytes(1, keyValues(1, RESOURCE)),
    );
    const viaProtobuf = await decodeTracesProtobuf(body.finish());
    const json = JSON.parse(goodTracesJson.toString());
    const [level] = json.resourceSpans;
    level.schemaUrl = 'https://schemas/resource';
    level.scopeSpans[0].schemaUrl = 'https://schemas/1';
    level.scopeSpans[0].scope.attributes = [{ key: 'build', value: { intValue: '7' } }];
    Object.assign(level.scopeSpans[0].spans[0], {
      traceState: 'vendor=1',
      flags: 769,
      endTimeUnixNano: `${SPAN.endNs}`,
      droppedAttributesCount: 1,
      droppedEventsCount: 3,
      droppedLinksCount: 4,
      events: [
        {
          timeUnixNano: `${nowNs}`,
          name: 'first token',
          attributes: [{ key: 'n', value: { intValue: 1 } }],
          droppedAttributesCount: 2,
        },
      ],
      links: [
        {
          traceId: link.traceId.toUpperCase(),
          spanId: link.spanId,
          traceState: 'k=v',
          flags: 257,
          attributes: [{ key: 'why', value: { stringValue: 'retry' } }],
        },
      ],
    });
    const viaJson = await decodeTracesJson(Buffer.from(JSON.stringify(json)));
    expect(viaJson.spans).toEqual(viaProtobuf.spans);
    const [found] = viaProtobuf.spans;
    expect(found).toMatchObject({
      traceState: 'vendor=1',
      flags: 769,
      scope: { name: 'lib', version: '1.0', attributes: new Map([['build', 7n]]), schemaUrl: 'https://schemas/1' },
      links: [{ ...link, traceState: 'k=v', flags: 257, attributes: new Map([['why', 'retry']]) }],
    });
    expect([...(found?.events[0]?.attributes ?? [])]).toEqual([
      ['n', 1n],
      ['otel.dropped_attributes_count', 2n],
    ]);
    const dropped = ['attributes', 'events', 'links'].map((what) =>
      found?.attributes.get(`otel.dropped_${what}_count`),
    );
    expect(dropped).toEqual([1n, 3n, 4n]);
  });

  it('the same exponential histogram, exemplars and start times come by protobuf and JSON', async () => {
    const viaProtobuf = await decodeMetricsProtobuf(
      exportRequest(RESOURCE, [
        exponential('e', 's', 1, {
          timeNs: nowNs,
          startNs: nowNs - 1n,
          count: 9n,
          sum: 2.5,
          scale: -2,
          zeroCount: 3n,
          zeroThreshold: 0.5,
          positive: { offset: -1, counts: [1, 2n ** 53n] },
          negative: { offset: 1, counts: [3] },
          exemplars: [exemplar(0.5, { traceId: SPAN.traceId, spanId: SPAN.spanId }, 7n)],
          attributes: { a: 'b' },
        }),
      ]),
    );
    const point = {
      startTimeUnixNano: `${nowNs - 1n}`,
      timeUnixNano: `${nowNs}`,
      count: '9',
      sum: 2.5,
      scale: -2,
      zeroCount: '3',
      zeroThreshold: 0.5,
      positive: { offset: -1, bucketCounts: ['1', '9007199254740992'] },
      negative: { offset: 1, bucketCounts: [3] },
      exemplars: [{ timeUnixNano: '7', asDouble: 0.5, traceId: SPAN.traceId.toUpperCase(), spanId: SPAN.spanId }],
      attributes: [{ key: 'a', value: { stringValue: 'b' } }],
    };
    const metrics = [
      {
        name: 'e',
        unit: 's',
        description: 'about e',
        exponentialHistogram: { aggregationTemporality: 1, dataPoints: [point] },
      },
    ];
    const viaJson = await decodeMetricsJson(
      Buffer.from(JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })),
    );
    expect(viaJson.metrics[0]?.data).toEqual({ ...viaProtobuf.metrics[0]?.data, monotonic: undefined });
  });

  it('an item may hold only so much: more is left out and counted, or refused alone', async () => {
    const many = Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`k${i}`, 'v']));
    const list = Array.from({ length: 20_000 }, () => 'x');
    const records = [logRecord(nowNs, 'a', many), logRecord(nowNs, list), logRecord(nowNs, 'b')];
    const { logs, invalid } = await decodeLogsProtobuf(exportRequest({}, records), 0n);
    expect(logs.map(({ body }) => body)).toEqual(['a', 'b']);
    expect(logs[0]?.attributes.size).toBe(1001);
    expect(logs[0]?.attributes.get('otel.dropped_attributes_count')).toBe(200n);
    expect(invalid).toMatchObject({ count: 1, example: expect.stringContaining('more than 10000 values') });
    const value = { arrayValue: { values: list.map((stringValue) => ({ stringValue })) } };
    const logRecords = [{ body: value }, { body: { stringValue: 'b' } }];
    const viaJson = await decodeLogsJson(
      Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })),
      7n,
    );
    expect(viaJson.logs).toMatchObject([{ body: 'b' }]);
    expect(viaJson.invalid.example).toContain('more than 10000 values');
    const { metrics, invalid: points } = await decodeMetricsProtobuf(
      exportRequest({}, [gauge('g', '', numberPoint(nowNs, 1, many), numberPoint(nowNs, 2))]),
    );
    expect(metrics[0]?.data).toMatchObject({ points: [{ value: 2 }] });
    expect(points).toMatchObject({ count: 1, example: expect.stringContaining('more than 1000 attributes') });
  });

  it('a log record without any time takes that of its arrival, and the batch says so', async () => {
    const send = async (record: ProtoWriter) => {
      const { sink, ...ingest } = collect();
      let arrivalTimed: boolean | undefined;
      const watched: typeof sink = {
        ...sink,
        accept(batch, origin) {
          arrivalTimed = batch.arrivalTimed;
          return sink.accept(batch, origin);
        },
      };
      const options = { ...ingest, sink: watched, logger: silentLogger };
      const door = await openHttp(otlp, options, '/v1/logs', PROTOBUF_TYPE);
      await door.send(exportRequest(RESOURCE, [record]));
      await door.close();
      return [ingest.batches[0]?.logs?.[0]?.timeNs, arrivalTimed];
    };
    const record = () => new ProtoWriter().bytes(5, new ProtoWriter().bytes(1, 'x'));
    expect(await send(record())).toEqual([nowNs, true]);
    expect(await send(record().fixed64(11, nowNs - 5n))).toEqual([nowNs - 5n, undefined]);
    expect(await send(record().fixed64(1, nowNs - 9n))).toEqual([nowNs - 9n, undefined]);
  });

  it('a log’s body that is no text is JSON without loss', async () => {
    const nested = (value: ProtoWriter) =>
      new ProtoWriter()
        .fixed64(1, 1n)
        .bytes(
          5,
          new ProtoWriter().bytes(6, new ProtoWriter().bytes(1, new ProtoWriter().bytes(1, 'v').bytes(2, value))),
        );
    const values = [
      anyValue(9007199254740993n),
      anyValue(Number.NaN),
      anyValue(Number.NEGATIVE_INFINITY),
      new ProtoWriter().bytes(7, Buffer.alloc(20_000, 0xff)),
      new ProtoWriter(),
    ];
    const { logs } = await decodeLogsProtobuf(exportRequest({}, values.map(nested)), 0n);
    expect(logs.map(({ body }) => body)).toEqual([
      '{"v":"9007199254740993"}',
      '{"v":"NaN"}',
      '{"v":"-Infinity"}',
      `{"v":"${Buffer.alloc(20_000, 0xff).toString('base64')}"}`,
      '{"v":null}',
    ]);
  });

  it('bytes in a log’s body are text where they are text, and base64 where not', async () => {
    const bytes = (value: Uint8Array) => new ProtoWriter().fixed64(1, 1n).bytes(5, new ProtoWriter().bytes(7, value));
    const { logs } = await decodeLogsProtobuf(
      exportRequest({}, [bytes(Buffer.from('grüße')), bytes(Uint8Array.of(0xff, 0xfe))]),
      0n,
    );
    expect(logs.map(({ body }) => body)).toEqual(['grüße', '//4=']);
  });

  it('any bytes decode or throw DecodeError', async () => {
    const good = [
      goodTraces,
      exportRequest(RESOURCE, [logRecord(nowNs, 'x')]),
      exportRequest(RESOURCE, [gauge('a', 's', numberPoint(nowNs, 1))]),
      exportRequest(RESOURCE, [
        exponential('e', 's', 1, { timeNs: nowNs, count: 3n, scale: 3, positive: { offset: -1, counts: [1, 2] } }),
        histogram('h', 's', 1, {
          timeNs: nowNs,
          count: 3n,
          sum: 1,
          counts: [1n, 2n],
          bounds: [1],
          exemplars: [exemplar(1)],
        }),
      ]),
    ];
    const damaged = fc.tuple(fc.constantFrom(...good), fc.nat(), fc.nat(255)).map(([body, at, byte]) => {
      const copy = Buffer.from(body);
      copy[at % copy.length] = byte;
      return copy;
    });
    const damagedJson = fc.tuple(fc.nat(goodTracesJson.length - 1), fc.constantFrom(...'{}[]",:0nx')).map(([at, c]) => {
      const copy = Buffer.from(goodTracesJson);
      copy.write(c, at);
      return copy;
    });
    const onlyOwn = (error: unknown) => expect(error).toBeInstanceOf(DecodeError);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          damaged,
          damagedJson,
          fc.uint8Array({ maxLength: 100 }).map((b) => Buffer.from(b)),
        ),
        async (body) => {
          for (const decode of [decodeTracesProtobuf, decodeTracesJson]) await decode(body).catch(onlyOwn);
          for (const decode of [decodeMetricsProtobuf, decodeMetricsJson]) {
            // Whatever could be decoded must be translatable, too.
            await decode(body).then((decoded) => createTranslator().translate(decoded, async () => {}), onlyOwn);
          }
          await decodeLogsProtobuf(body, 0n).catch(onlyOwn);
          await decodeLogsJson(body, 0n).catch(onlyOwn);
        },
      ),
      { numRuns: 500 },
    );
  });
});
