import { describe, expect, it } from 'vitest';
import { type Attributes, type AttributeValue, type LogRecord, nowhere, type Span } from '../../model/index.ts';
import { createEnricher } from './enrich.ts';

type Json = string | number | boolean | Json[] | { [name: string]: Json };

function value(json: Json): AttributeValue {
  if (Array.isArray(json)) return json.map(value);
  return typeof json === 'object' ? { kind: 'map', entries: attributes(json) } : json;
}
function attributes(json: Record<string, Json>): Attributes {
  return new Map(Object.entries(json).map(([name, item]) => [name, value(item)]));
}

function log(parts: Partial<LogRecord>): LogRecord {
  const record: LogRecord = {
    timeNs: 0n, observedNs: 0n, severity: 0, severityText: '', body: '', resource: new Map(), attributes: new Map(),
    scope: { name: '', version: '' }, traceId: '', spanId: '', flags: 0, place: nowhere,
  }; // biome-ignore format: a record
  return createEnricher().log({ ...record, ...parts }, undefined);
}

const uid = '0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0';
const id = 'ab'.repeat(32);
const api = { namespace: 'prod', pod: 'api-7d9f8b6c5d-x2x9p', container: 'server', workload: 'api' };
const kubernetes = {
  pod_name: api.pod, namespace_name: 'prod', container_name: 'server', host: 'node-1', pod_id: uid,
  labels: { 'app.kubernetes.io/name': 'api-server', app: 'other' },
}; // biome-ignore format: a record

describe('where a log line comes from', () => {
  it.each<[string, Partial<LogRecord>, object]>([
    ['Promtail’s and Alloy’s labels', { resource: attributes({ namespace: 'prod', pod: api.pod, container: 'server', node_name: 'node-1', app: 'api' }) }, { ...api, node: 'node-1', service: 'api' }],
    ['OpenTelemetry', { resource: attributes({ 'k8s.namespace.name': 'prod', 'k8s.pod.name': api.pod, 'k8s.container.name': 'server', 'k8s.cluster.name': 'eu' }) }, { ...api, cluster: 'eu' }],
    ['a file below /var/log/pods as label', { resource: attributes({ filename: `/var/log/pods/prod_${api.pod}_${uid}/server/0.log` }) }, api],
    ['a link below /var/log/containers as attribute', { attributes: attributes({ 'log.file.path': `/var/log/containers/${api.pod}_prod_server-${id}.log` }) }, api],
    ['a Fluent Bit tag', { attributes: attributes({ tag: `kube.var.log.containers.${api.pod}_prod_server-${id}.log` }) }, api],
    ['a rotated file', { resource: attributes({ filename: `/var/log/pods/prod_${api.pod}_${uid}/server/0.log.20261201-144659` }) }, api],
    ['Fluent Bit’s record', { attributes: attributes({ kubernetes }) }, { ...api, node: 'node-1', service: 'api-server' }],
    ['Fluent Bit’s record with owner', { attributes: attributes({ kubernetes: { ...kubernetes, ownerReferences: [{ kind: 'StatefulSet', name: 'api-set' }] } }) }, { ...api, workload: 'api-set' }],
    ['Fluent Bit’s record as the line', { resource: attributes({ job: 'fluent-bit' }), body: JSON.stringify({ log: 'x', kubernetes }) }, { ...api, node: 'node-1' }],
    ['Vector’s record as the line', { body: JSON.stringify({ message: 'x', kubernetes: { pod_name: api.pod, pod_namespace: 'prod', container_name: 'server', pod_node_name: 'node-2', pod_owner: 'ReplicaSet/api-7d9f8b6c5d' } }) }, { ...api, node: 'node-2' }],
    ['Vector’s file as the line', { body: JSON.stringify({ file: `/var/log/pods/prod_${api.pod}_${uid}/server/0.log`, message: 'x' }) }, api],
    ['the label before the file', { resource: attributes({ pod: 'own', filename: `/var/log/pods/prod_${api.pod}_${uid}/server/0.log` }) }, { pod: 'own', namespace: 'prod' }],
    ['any other file', { resource: attributes({ filename: '/var/log/syslog', hostname: 'node-3' }) }, { pod: '', namespace: '', node: 'node-3' }],
    ['text that only mentions such a record', { body: '{"kubernetes": no' }, { pod: '' }],
  ])('%s', (_title, parts, place) => {
    expect(log(parts).place).toMatchObject(place);
  }); // biome-ignore format: a table

  it('lines of one resource share one place, whatever cluster the receiver is configured with', () => {
    const enricher = createEnricher();
    const record = log({ resource: attributes({ pod: api.pod }) });
    const plain = { ...record, place: nowhere };
    expect(enricher.log(plain, 'eu').place).toBe(enricher.log({ ...plain, body: 'next' }, 'eu').place);
    expect(enricher.log(plain, 'eu').place.cluster).toBe('eu');
    expect(enricher.log(plain, 'us').place.cluster).toBe('us');
    expect(enricher.log(plain, undefined).place.cluster).toBe('unknown');
  });
});

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';

describe('severity and ids', () => {
  it.each<[string, Partial<LogRecord>, object]>([
    ['the sender’s number stays', { severity: 9, body: 'ERROR x' }, { severity: 9 }],
    ['the sender’s word comes before the line’s', { severityText: 'warn', body: 'ERROR x' }, { severity: 13 }],
    ['an attribute’s before the line’s', { attributes: attributes({ level: 'warn' }), body: 'ERROR x' }, { severity: 13 }],
    ['the line’s own', { body: 'ERROR x' }, { severity: 17 }],
    ['the sender’s ids stay', { traceId: trace, spanId: span, body: `trace_id=${'1'.repeat(32)}` }, { traceId: trace, spanId: span }],
    ['ids of the line', { body: `trace_id=${trace} span_id=${span} request_id=req-77aa` }, { traceId: trace, spanId: span, attributes: attributes({ request_id: 'req-77aa' }) }],
    ['ids of attributes before those of the line', { attributes: attributes({ 'x-request-id': 'gw-1' }), body: 'request_id=req-77aa' }, { attributes: attributes({ 'x-request-id': 'gw-1', request_id: 'gw-1' }) }],
    ['ids of labels', { resource: attributes({ traceID: trace, request_id: 'r-1' }) }, { traceId: trace, attributes: attributes({ request_id: 'r-1' }) }],
    ['none', { body: 'hello' }, { severity: 0, traceId: '', spanId: '', attributes: new Map() }],
  ])('of a log: %s', (_title, parts, expected) => {
    expect(log(parts)).toMatchObject(expected);
  }); // biome-ignore format: a table

  it.each<[Record<string, Json>, string | undefined]>([
    [{ 'http.request.header.x-request-id': ['req-9'] }, 'req-9'],
    [{ 'gen_ai.request.id': 'chatcmpl-1' }, 'chatcmpl-1'],
    [{ request_id: 'own', 'x-request-id': 'other' }, 'own'],
    [{ 'http.route': '/x' }, undefined],
  ])('a span with %o is found under request_id %s', (given, expected) => {
    // only what the enricher looks at
    const raw = { attributes: attributes(given), resource: new Map(), place: nowhere } as unknown as Span;
    expect(createEnricher().span(raw, undefined).attributes.get('request_id')).toBe(expected);
  });
});
