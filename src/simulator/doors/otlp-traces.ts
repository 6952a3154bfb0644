import protobuf from 'protobufjs/minimal.js';
import type { Source, SpanAttribute, SpanRecord } from '../telemetry/signals.ts';

const { Writer } = protobuf;
type Writer = protobuf.Writer;

const KINDS = { server: 2, client: 3 } as const;
const STATUS_ERROR = 2;
/** OpenTelemetry's consistent sampling: the share of trace ids below which traces were dropped, 0.9 in 14 hex digits. */
const SAMPLING_STATE = 'ot=th:e6666666666666';

/** opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest, one resource per pod. */
export function encodeTraces(spans: readonly SpanRecord[]): Uint8Array {
  const bySource = new Map<Source, SpanRecord[]>();
  for (const span of spans) {
    const others = bySource.get(span.source);
    if (others) others.push(span);
    else bySource.set(span.source, [span]);
  }
  const out = Writer.create();
  for (const [source, own] of bySource) {
    out.uint32(0x0a).fork();
    writeResource(out.uint32(0x0a).fork(), source).ldelim();
    out.uint32(0x12).fork();
    out.uint32(0x0a).fork().uint32(0x0a).string('trifocal-simulator').uint32(0x12).string('1.0.0').ldelim();
    for (const span of own) writeSpan(out.uint32(0x12).fork(), span).ldelim();
    out.ldelim();
    out.ldelim();
  }
  return out.finish();
}

function writeResource(out: Writer, source: Source): Writer {
  const attributes: Record<string, string> = {
    'service.name': source.workload,
    'service.namespace': source.namespace,
    'service.instance.id': `${source.namespace}.${source.pod}.${source.container}`,
    'service.version': source.image.split(':')[1] ?? '',
    'k8s.cluster.name': source.cluster,
    'k8s.namespace.name': source.namespace,
    'k8s.node.name': source.node,
    'k8s.pod.name': source.pod,
    'k8s.pod.uid': source.podUid,
    'k8s.pod.ip': source.podIp,
    'k8s.container.name': source.container,
    [`k8s.${source.workloadKind.toLowerCase()}.name`]: source.workload,
    'telemetry.sdk.language': source.workload === 'gateway' ? 'go' : 'python',
    'telemetry.sdk.name': 'opentelemetry',
  };
  for (const [name, value] of Object.entries(attributes)) writeAttribute(out, 0x0a, name, value);
  return out;
}

function writeSpan(out: Writer, span: SpanRecord): Writer {
  out.uint32(0x0a).bytes(Buffer.from(span.traceId, 'hex'));
  out.uint32(0x12).bytes(Buffer.from(span.spanId, 'hex'));
  out.uint32(0x1a).string(SAMPLING_STATE);
  if (span.parentSpanId) out.uint32(0x22).bytes(Buffer.from(span.parentSpanId, 'hex'));
  out.uint32(0x2a).string(span.name);
  out.uint32(0x30).int32(KINDS[span.kind]);
  writeTime(out.uint32(0x39), span.startMs);
  writeTime(out.uint32(0x41), span.endMs);
  for (const [name, value] of Object.entries(span.attributes)) writeAttribute(out, 0x4a, name, value);
  if (span.error !== undefined) {
    out.uint32(0x7a).fork().uint32(0x12).string(span.error).uint32(0x18).int32(STATUS_ERROR).ldelim();
  }
  return out;
}

/** fixed64 nanoseconds, from milliseconds with microsecond accuracy; split by hand, since a double has too few digits. */
function writeTime(out: Writer, ms: number): void {
  const nanos = BigInt(Math.round(ms * 1000)) * 1000n;
  out.fixed32(Number(nanos & 0xffffffffn)).fixed32(Number(nanos >> 32n));
}

function writeAttribute(out: Writer, tag: number, name: string, value: SpanAttribute): void {
  out.uint32(tag).fork().uint32(0x0a).string(name);
  writeValue(out.uint32(0x12).fork(), value).ldelim();
  out.ldelim();
}

function writeValue(out: Writer, value: SpanAttribute): Writer {
  if (typeof value === 'string') return out.uint32(0x0a).string(value);
  if (typeof value === 'boolean') return out.uint32(0x10).bool(value);
  if (typeof value === 'number') {
    return Number.isInteger(value) ? out.uint32(0x18).int64(value) : out.uint32(0x21).double(value);
  }
  out.uint32(0x2a).fork();
  for (const item of value) out.uint32(0x0a).fork().uint32(0x0a).string(item).ldelim();
  return out.ldelim();
}
