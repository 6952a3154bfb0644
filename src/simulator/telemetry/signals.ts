/** Where a span or a log line comes from. */
export interface Source {
  cluster: string;
  namespace: string;
  pod: string;
  podUid: string;
  podIp: string;
  container: string;
  node: string;
  workload: string;
  workloadKind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  image: string;
}

export type SpanKind = 'server' | 'client';
export type SpanAttribute = string | number | boolean | readonly string[];

export interface SpanRecord {
  source: Source;
  traceId: string;
  spanId: string;
  /** Empty for a root. */
  parentSpanId: string;
  name: string;
  kind: SpanKind;
  startMs: number;
  endMs: number;
  attributes: Readonly<Record<string, SpanAttribute>>;
  /** What went wrong; absent when nothing did. */
  error?: string;
}

export interface LogLine {
  source: Source;
  timeMs: number;
  level: 'info' | 'warn' | 'error';
  line: string;
}

/** Collects what the estate emits between two collections. */
export interface SignalBuffer {
  span(record: SpanRecord): void;
  line(line: LogLine): void;
  takeSpans(): SpanRecord[];
  takeLines(): LogLine[];
}

export function createSignalBuffer(): SignalBuffer {
  let spans: SpanRecord[] = [];
  let lines: LogLine[] = [];
  return {
    span: (record) => spans.push(record),
    line: (line) => lines.push(line),
    takeSpans() {
      const taken = spans;
      spans = [];
      return taken;
    },
    takeLines() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}
