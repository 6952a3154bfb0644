import type { Attributes, AttributeValue, LogRecord } from '../../../model/index.ts';
import { parseContainerLine } from './container-line.ts';
import { beginsTrace, goesOn, isTimed, linesBefore, type StackTrace } from './stack-trace.ts';

/**
 * Puts together what one request brings in pieces: a container runtime's partial lines, and the lines of a stack trace.
 * Only lines of one stream (the same resource, the same of stdout and stderr), only within one request, so nothing is
 * held back and nothing waits for a request that may not come. No byte is lost: the texts of the records that come out,
 * each stream's in order, are the texts that went in.
 */
export interface LineJoiner {
  add(record: LogRecord): void;
  /** The records in the order in which their first lines came. Call once, at the end. */
  end(): LogRecord[];
}

/** A trace is left to itself beyond this; what comes after begins a new record. */
const MAX_TRACE_LINES = 1000;
/** Lines of one trace are printed together. */
const MAX_GAP_NS = 1_000_000_000n;
/** Traces of processes that write to one stream at a time, told apart by their prefixes. */
const MAX_OPEN = 8;
/** Node prints five lines between the place and the first frame of an error. */
const LOOK_BACK = 5;

interface Placed {
  slot: number;
  record: LogRecord;
}

interface OpenTrace {
  trace: StackTrace;
  slot: number;
  texts: string[];
  bytes: number;
  /** The record that it becomes: the first of its lines. */
  record: LogRecord;
  lastNs: bigint;
  /** Empty lines that belong to it if more follows. */
  held: Placed[];
}

interface Stream {
  partial: { record: LogRecord; texts: string[] } | undefined;
  open: OpenTrace[];
  /** The last lines that stand alone, the last one first. */
  before: Placed[];
}

/** Joins up to `maxBytes` for a trace, so that no join makes a line that would be cut. */
export function createLineJoiner(maxBytes: number): LineJoiner {
  const records: (LogRecord | undefined)[] = [];
  const streams = new Map<Attributes, [Stream | undefined, Stream | undefined, Stream | undefined]>();
  let lastResource: Attributes | undefined;
  let lastStreams: [Stream | undefined, Stream | undefined, Stream | undefined] = [undefined, undefined, undefined];

  const streamOf = (resource: Attributes, output: 0 | 1 | 2): Stream => {
    if (resource !== lastResource) {
      lastResource = resource;
      const known = streams.get(resource);
      lastStreams = known ?? [undefined, undefined, undefined];
      if (known === undefined) streams.set(resource, lastStreams);
    }
    const stream = lastStreams[output] ?? { partial: undefined, open: [], before: [] };
    lastStreams[output] = stream;
    return stream;
  };

  const close = (open: OpenTrace) => {
    if (open.texts.length > 1) records[open.slot] = { ...open.record, body: joinTexts(open.texts) };
  };

  const append = (open: OpenTrace, { slot, record }: Placed) => {
    records[slot] = undefined;
    open.texts.push(record.body);
    open.bytes += Buffer.byteLength(record.body) + 1;
  };

  const fits = (open: OpenTrace, record: LogRecord): boolean =>
    near(open.lastNs, record.timeNs) &&
    open.texts.length + open.held.length < MAX_TRACE_LINES &&
    open.bytes + record.body.length * 3 < maxBytes &&
    sayTheSame(open.record, record);

  /** Whether an open trace took the line. */
  const taken = (stream: Stream, placed: Placed): boolean => {
    for (let i = stream.open.length - 1; i >= 0; i--) {
      const open = stream.open[i];
      if (open === undefined) continue;
      const verdict = fits(open, placed.record) ? goesOn(open.trace, lineOf(placed.record)) : 'no';
      if (verdict === 'other') continue;
      if (verdict === 'no') {
        close(open);
        stream.open.splice(i, 1);
        continue;
      }
      open.lastNs = placed.record.timeNs;
      if (verdict === 'perhaps') open.held.push(placed);
      else {
        for (const held of open.held) append(open, held);
        open.held.length = 0;
        append(open, placed);
      }
      return true;
    }
    return false;
  };

  const begin = (stream: Stream, trace: StackTrace, placed: Placed) => {
    const before: Placed[] = [];
    for (const line of stream.before) {
      const later = before.at(-1) ?? placed;
      if (!near(line.record.timeNs, later.record.timeNs) || !sayTheSame(line.record, placed.record)) break;
      before.push(line);
    }
    const lines = before
      .slice(
        0,
        linesBefore(
          trace,
          before.map(({ record }) => lineOf(record)),
        ),
      )
      .reverse();
    const first = lines[0] ?? placed;
    if (trace.prefix !== '' && isTimed(trace.prefix) && lines.length > 0) trace.fresh = false;
    const open: OpenTrace = {
      trace,
      slot: first.slot,
      texts: [],
      bytes: 0,
      record: first.record,
      lastNs: placed.record.timeNs,
      held: [],
    };
    for (const line of [...lines, placed]) append(open, line);
    records[first.slot] = first.record;
    if (stream.open.length >= MAX_OPEN) {
      const oldest = stream.open.shift();
      if (oldest !== undefined) close(oldest);
    }
    stream.open.push(open);
    stream.before.length = 0;
  };

  const line = (stream: Stream, record: LogRecord) => {
    const placed = { slot: records.length, record };
    records.push(record);
    if (stream.open.length > 0 && taken(stream, placed)) return;
    const trace = beginsTrace(lineOf(record));
    if (trace !== undefined) begin(stream, trace, placed);
    else {
      if (stream.before.length === LOOK_BACK) stream.before.pop();
      stream.before.unshift(placed);
    }
  };

  return {
    add(raw) {
      const unwrapped = unwrap(raw);
      const { record, partial, output } = unwrapped;
      const stream = streamOf(record.resource, output);
      if (stream.partial !== undefined) {
        stream.partial.texts.push(record.body);
        if (partial) return;
        const { record: first, texts } = stream.partial;
        stream.partial = undefined;
        // What shippers say of the last piece is true of the whole, but it began with the first.
        line(stream, { ...record, timeNs: first.timeNs, body: texts.join('') });
      } else if (partial) stream.partial = { record, texts: [record.body] };
      else line(stream, record);
    },
    end() {
      for (const outputs of streams.values()) {
        for (const stream of outputs) {
          if (stream?.partial !== undefined) {
            const { record, texts } = stream.partial;
            line(stream, { ...record, body: texts.join(''), attributes: withAttribute(record, 'log.partial', true) });
          }
          for (const open of stream?.open ?? []) close(open);
        }
      }
      return records.filter((record) => record !== undefined);
    },
  };
}

interface Unwrapped {
  record: LogRecord;
  partial: boolean;
  /** 1 stdout, 2 stderr, 0 not known. */
  output: 0 | 1 | 2;
}

/** A shipper that read the file without parsing it sends the runtime's words; their time is when the program printed. */
function unwrap(record: LogRecord): Unwrapped {
  const container = parseContainerLine(record.body);
  if (container !== undefined) {
    const { timeNs, stream, partial, text } = container;
    return {
      record: { ...record, timeNs, body: text, attributes: withAttribute(record, 'log.iostream', stream) },
      partial,
      output: stream === 'stdout' ? 1 : 2,
    };
  }
  const { attributes } = record;
  if (attributes.size === 0) return { record, partial: false, output: 0 };
  const stream = attributes.get('log.iostream') ?? attributes.get('stream');
  // Fluent Bit's cri parser and OpenTelemetry's container parser say `logtag`, Vector `_partial`.
  const partial = attributes.get('logtag') === 'P' || attributes.get('_partial') === true;
  return { record, partial, output: stream === 'stdout' ? 1 : stream === 'stderr' ? 2 : 0 };
}

function withAttribute(record: LogRecord, key: string, value: AttributeValue): Attributes {
  return record.attributes.has(key) ? record.attributes : new Map(record.attributes).set(key, value);
}

/** Without the line feed with which some shippers end each line. */
function lineOf({ body }: LogRecord): string {
  return body.charCodeAt(body.length - 1) === LINE_FEED ? body.slice(0, -1) : body;
}

const LINE_FEED = 0x0a;

function joinTexts(texts: readonly string[]): string {
  let joined = '';
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i] ?? '';
    joined += i === texts.length - 1 || text.charCodeAt(text.length - 1) === LINE_FEED ? text : `${text}\n`;
  }
  return joined;
}

function near(a: bigint, b: bigint): boolean {
  const gap = a - b;
  return gap <= MAX_GAP_NS && gap >= -MAX_GAP_NS;
}

/** Whether a line says nothing about itself that the first line does not say, too. */
function sayTheSame(first: LogRecord, next: LogRecord): boolean {
  return (
    (next.traceId === '' || next.traceId === first.traceId) &&
    (next.spanId === '' || next.spanId === first.spanId) &&
    (next.attributes === first.attributes || equalAttributes(first.attributes, next.attributes))
  );
}

function equalAttributes(a: Attributes, b: Attributes): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (!VARYING.has(key) && b.get(key) !== value) return false;
  return true;
}

/** What shippers count or guess anew for each line of a file. */
const VARYING = new Set([
  'log.file.offset',
  'offset',
  'detected_level',
  'level',
  'time',
  'logtag',
  'log.record.original',
]);
