import { deflateSync, gzipSync } from 'node:zlib';
import { compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/index.ts';
import { collect, nowNs, openHttp } from '../contract.ts';
import { ProtoWriter } from '../wire/index.ts';
import { lokiPush } from './index.ts';

/** Requests in the shapes in which agents send them, and what becomes of them. */

const POD = 'llama-7d9f8b6c5d-x2x9p';
const UID = '0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** `logproto.PushRequest` with the hash that Go clients add to streams. */
function protobuf(streams: { labels: string; entries: [string, Record<string, string>?][] }[]): Buffer {
  const request = new ProtoWriter();
  let ns = nowNs;
  for (const { labels, entries } of streams) {
    const stream = new ProtoWriter().bytes(1, labels);
    for (const [line, metadata = {}] of entries) {
      const time = new ProtoWriter().varint(1, ns / 1_000_000_000n).varint(2, ns % 1_000_000_000n);
      const entry = new ProtoWriter().bytes(1, time).bytes(2, line);
      for (const [name, value] of Object.entries(metadata)) {
        entry.bytes(3, new ProtoWriter().bytes(1, name).bytes(2, value));
      }
      stream.bytes(2, entry);
      ns += 1000n;
    }
    request.bytes(1, stream.varint(3, 0xfedcba9876543210n));
  }
  return request.finish();
}

async function push(body: Buffer, headers: Record<string, string>) {
  const ingest = collect();
  const door = await openHttp(lokiPush, { ...ingest, logger: silentLogger }, '/loki/api/v1/push', {});
  const { code, text } = await door.send(body, headers);
  await door.close();
  return { code, text, logs: ingest.batches.flatMap((batch) => batch.logs ?? []), dropped: ingest.telemetry().dropped };
}

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const place = { cluster: 'unknown', namespace: 'prod', pod: POD, container: 'vllm', workload: 'llama' };
const traceback = ['Traceback (most recent call last):', '  File "a.py", line 1, in <module>', 'ValueError: boom'];

describe('Loki push as agents send it', () => {
  it('Promtail with its cri stage', async () => {
    const labels = `{app="llama", container="vllm", filename="/var/log/pods/prod_${POD}_${UID}/vllm/0.log", job="prod/llama", namespace="prod", node_name="gpu-1", pod="${POD}", stream="stderr"}`;
    const body = protobuf([
      {
        labels,
        entries: [['INFO 12-01 14:46:59 [a.py:1] ready'], ...traceback.map((line): [string] => [line]), ['INFO: next']],
      },
    ]);
    const { code, logs } = await push(compressSync(body), {
      ...PROTOBUF,
      'user-agent': 'promtail/3.5.1',
      'x-scope-orgid': 'team',
    });
    expect(code).toBe(204);
    expect(logs.map(({ body: line, severity }) => [line, severity])).toEqual([
      ['INFO 12-01 14:46:59 [a.py:1] ready', 9],
      [traceback.join('\n'), 17],
      ['INFO: next', 9],
    ]);
    for (const log of logs) expect(log.place).toEqual({ ...place, node: 'gpu-1', service: 'llama' });
  });

  it('Promtail that was not told of the container format', async () => {
    const labels = `{filename="/var/log/pods/prod_${POD}_${UID}/vllm/0.log", job="pods"}`;
    const time = new Date(Number(nowNs / 1_000_000n)).toISOString();
    const entries: [string][] = [
      [`${time} stdout P {"level":"error",`],
      [`${time} stdout F "msg":"x"}`],
      [`${time} stderr F WARNING: y`],
    ];
    const { code, logs } = await push(compressSync(protobuf([{ labels, entries }])), PROTOBUF);
    expect(code).toBe(204);
    expect(logs).toMatchObject([
      { body: '{"level":"error","msg":"x"}', severity: 17, place, attributes: new Map([['log.iostream', 'stdout']]) },
      { body: 'WARNING: y', severity: 13, place, attributes: new Map([['log.iostream', 'stderr']]) },
    ]);
  });

  it('Alloy with structured metadata', async () => {
    const labels = `{cluster="prod-eu", container="vllm", namespace="prod", pod="${POD}", service_name="llama"}`;
    const metadata = { detected_level: 'warn', trace_id: TRACE, k8s_pod_uid: UID };
    const { code, logs } = await push(compressSync(protobuf([{ labels, entries: [['slow', metadata], ['fast']] }])), {
      ...PROTOBUF,
      'content-encoding': 'snappy',
      'user-agent': 'Alloy/v1.10.0 (linux; docker)',
    });
    expect(code).toBe(204);
    expect(logs).toMatchObject([
      {
        body: 'slow',
        severity: 13,
        severityText: 'warn',
        traceId: TRACE,
        attributes: new Map(Object.entries(metadata)),
      },
      { body: 'fast', severity: 0, traceId: '', attributes: new Map() },
    ]);
    expect(logs[0]?.place).toEqual({ ...place, cluster: 'prod-eu', node: '', service: 'llama' });
  });

  it('Fluent Bit’s loki output: JSON with a stream for each record, gzip', async () => {
    const stream = { job: 'fluent-bit', namespace: 'prod', pod: POD, container: 'vllm' };
    const streams = ['before', ...traceback, 'after'].map((line, i) => ({
      stream,
      values: [[`${nowNs + BigInt(i)}`, line]],
    }));
    const { code, logs } = await push(gzipSync(JSON.stringify({ streams })), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'user-agent': 'Fluent-Bit',
    });
    expect(code).toBe(204);
    expect(logs.map(({ body }) => body)).toEqual(['before', traceback.join('\n'), 'after']);
    expect(logs[0]?.place).toMatchObject(place);
  });

  it('Fluent Bit’s loki output with the whole record as the line', async () => {
    const record = {
      stream: 'stderr', logtag: 'F', log: `ERROR 12-01 request_id=req-9f8e trace_id=${TRACE}`,
      kubernetes: { pod_name: POD, namespace_name: 'prod', container_name: 'vllm', host: 'gpu-1', pod_id: UID },
    }; // biome-ignore format: a record
    const line = JSON.stringify(record);
    const streams = [{ stream: { job: 'fluent-bit' }, values: [[`${nowNs}`, line, { filename: 'x' }]] }];
    const { code, logs } = await push(Buffer.from(JSON.stringify({ streams })), { 'content-type': 'application/json' });
    expect(code).toBe(204);
    expect(logs).toMatchObject([{ body: line, severity: 17, traceId: TRACE, place: { ...place, node: 'gpu-1' } }]);
    expect(logs[0]?.attributes.get('request_id')).toBe('req-9f8e');
  });

  it('Vector’s loki sink: its event as JSON in protobuf, or JSON with deflate', async () => {
    const event = {
      file: `/var/log/pods/prod_${POD}_${UID}/vllm/0.log`, message: '{"level":"warn","msg":"slow"}', source_type: 'kubernetes_logs',
      kubernetes: { container_name: 'vllm', pod_name: POD, pod_namespace: 'prod', pod_node_name: 'gpu-1', pod_owner: 'ReplicaSet/llama-7d9f8b6c5d' },
    }; // biome-ignore format: an event
    const line = JSON.stringify(event);
    const viaProtobuf = await push(
      compressSync(protobuf([{ labels: '{agent="vector"}', entries: [[line]] }])),
      PROTOBUF,
    );
    const streams = [{ stream: { agent: 'vector' }, values: [[`${nowNs}`, line]] }];
    const viaJson = await push(deflateSync(JSON.stringify({ streams })), {
      'content-type': 'application/json',
      'content-encoding': 'deflate',
      'user-agent': 'Vector/0.50.0',
    });
    for (const { code, logs } of [viaProtobuf, viaJson]) {
      expect(code).toBe(204);
      expect(logs).toMatchObject([{ body: line, severity: 13, place: { ...place, node: 'gpu-1' } }]);
    }
  });

  it('secrets are hidden, also where the runtime tore them apart, and every other byte stays', async () => {
    const time = new Date(Number(nowNs / 1_000_000n)).toISOString();
    const entries: [string][] = [[`${time} stdout P \x1b[31m{"password":"hun`], [`${time} stdout F ter22","n":1}\r`]];
    const { logs } = await push(compressSync(protobuf([{ labels: '{a="b"}', entries }])), PROTOBUF);
    expect(logs.map(({ body }) => body)).toEqual(['\x1b[31m{"password":"[redacted:password]","n":1}\r']);
  });
});
