import protobuf from 'protobufjs/minimal.js';
import type { LogLine, Source } from '../telemetry/signals.ts';

const { Writer } = protobuf;

/** logproto.PushRequest before compression: a stream per container, lines in order of time, the level beside the line. */
export function encodePush(lines: readonly LogLine[]): Uint8Array {
  const bySource = new Map<Source, LogLine[]>();
  for (const line of lines) {
    const others = bySource.get(line.source);
    if (others) others.push(line);
    else bySource.set(line.source, [line]);
  }
  const out = Writer.create();
  for (const [source, own] of bySource) {
    out.uint32(0x0a).fork().uint32(0x0a).string(streamLabels(source));
    for (const line of own.sort((a, b) => a.timeMs - b.timeMs)) {
      const micros = Math.round(line.timeMs * 1000);
      out.uint32(0x12).fork();
      out.uint32(0x0a).fork();
      out.uint32(0x08).int64(Math.floor(micros / 1e6));
      out.uint32(0x10).int32((micros % 1e6) * 1000);
      out.ldelim();
      out.uint32(0x12).string(line.line);
      out.uint32(0x1a).fork().uint32(0x0a).string('detected_level').uint32(0x12).string(line.level).ldelim();
      out.ldelim();
    }
    out.ldelim();
  }
  return out.finish();
}

function streamLabels(source: Source): string {
  const labels = {
    app: source.workload,
    cluster: source.cluster,
    container: source.container,
    namespace: source.namespace,
    node: source.node,
    pod: source.pod,
    service_name: source.workload,
  };
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ')}}`;
}
