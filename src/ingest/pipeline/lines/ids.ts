import type { Attributes, AttributeValue } from '../../../model/index.ts';

/** The ids by which logs and spans of one request find each other; empty where nothing says one. */
export interface Ids {
  /** Lower-case hex of 32 and 16 digits. */
  traceId: string;
  spanId: string;
  requestId: string;
}

/** The attribute under which every log and span carries its request's id, whatever its sender calls it. */
export const REQUEST_ID = 'request_id';

/** Ids are looked for in the beginning of a line. */
const HEAD = 4096;

/**
 * Finds ids in a line of JSON, logfmt or plain text, W3C's `traceparent`, vLLM's `request chatcmpl-…` and Envoy's access
 * log. `wanted` is what is not known yet. Most lines stop at the first look.
 */
export function idsInLine(line: string, wanted: { trace: boolean; request: boolean }): Ids | undefined {
  const head = line.length > HEAD ? line.slice(0, HEAD) : line;
  const trace = wanted.trace && MAY_TRACE.test(head);
  const request = wanted.request && (MAY_REQUEST.test(head) || isEnvoy(head));
  if (!trace && !request) return undefined;
  const traceId = trace ? (TRACE.exec(head)?.[1] ?? '').toLowerCase() : '';
  const parent = trace && traceId === '' ? TRACEPARENT.exec(head) : null;
  const found: Ids = {
    traceId: usableTraceId(traceId || parent?.[1] || ''),
    spanId: trace ? usableSpanId((SPAN.exec(head)?.[1] ?? parent?.[2] ?? '').toLowerCase()) : '',
    requestId: request ? requestIdIn(head) : '',
  };
  return found.traceId === '' && found.spanId === '' && found.requestId === '' ? undefined : found;
}

/** Ids that attributes name, in the spellings of loggers, gateways and instrumentations. */
export function idsInAttributes(attributes: Attributes): Ids {
  const found: Ids = { traceId: '', spanId: '', requestId: '' };
  let rank = REQUEST_NAMES.size;
  for (const [name, value] of attributes) {
    const kind = ID_NAMES.get(name);
    if (kind === undefined) continue;
    if (kind === 'trace') found.traceId ||= usableTraceId(textOf(value).toLowerCase());
    else if (kind === 'span') found.spanId ||= usableSpanId(textOf(value).toLowerCase());
    else if (kind === 'parent') {
      const parent = TRACEPARENT_VALUE.exec(textOf(value));
      found.traceId ||= usableTraceId(parent?.[1] ?? '');
      found.spanId ||= usableSpanId(parent?.[2] ?? '');
    } else {
      const id = textOf(value);
      const own = REQUEST_NAMES.get(name) ?? rank;
      if (own < rank && id !== '' && id.length <= 256) {
        found.requestId = id;
        rank = own;
      }
    }
  }
  return found;
}

/** Request ids by name, the most telling first: what came in from the client before what an engine made up. */
const REQUEST_NAMES: ReadonlyMap<string, number> = new Map(
  [
    'request_id', 'x-request-id', 'x_request_id', 'X-Request-ID', 'X-Request-Id', 'http.request.header.x-request-id',
    'http.request.header.x_request_id', 'guid:x-request-id', 'request.id', 'request-id', 'requestId', 'requestID', 'RequestId', 'requestid',
    'http.request_id', 'http.request.id', 'req_id', 'reqId', 'RequestID', 'gen_ai.request.id', 'llm.request.id', 'rid', 'gen_ai.response.id',
  ].map((name, rank) => [name, rank]),
); // biome-ignore format: a list to read

const ID_NAMES: ReadonlyMap<string, 'trace' | 'span' | 'parent' | 'request'> = new Map([
  ...['trace_id', 'traceId', 'traceID', 'TraceId', 'TraceID', 'traceid', 'trace.id', 'otelTraceID', 'otel.trace_id', 'dd.trace_id'].map((name) => [name, 'trace'] as const),
  ...['span_id', 'spanId', 'spanID', 'SpanId', 'SpanID', 'spanid', 'span.id', 'otelSpanID', 'otel.span_id'].map((name) => [name, 'span'] as const),
  ...['traceparent', 'http.request.header.traceparent'].map((name) => [name, 'parent'] as const),
  ...[...REQUEST_NAMES.keys()].map((name) => [name, 'request'] as const),
]); // biome-ignore format: a list to read

/** Header attributes are lists of texts. */
function textOf(value: AttributeValue): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return typeof value[0] === 'string' ? value[0] : '';
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}

const MAY_TRACE = /[tT][rR][aA][cC][eE](?!back)/;
const MAY_REQUEST = /[rR]eq|REQ|"rid"|\brid[='"]/;
const TRACE = /(?:^|[^A-Za-z0-9])trace(?:[ ._-]?id)?\\?["']?[ =:(]{1,4}\\?["']?([0-9a-f]{32})(?![0-9a-z])/i;
const SPAN = /(?:^|[^A-Za-z0-9])span(?:[ ._-]?id)?\\?["']?[ =:(]{1,4}\\?["']?([0-9a-f]{16})(?![0-9a-z])/i;
const TRACEPARENT =
  /traceparent\\?["']?[ =:(]{1,4}\\?["']?[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?![0-9a-z])/;
const TRACEPARENT_VALUE = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/;
/** `request_id=…`, `"x-request-id":"…"`, `requestId: …`, `(request id: …)`; SGLang's `rid='…'`. An id has a digit, a word has none. */
const REQUEST =
  /(?:^|[^A-Za-z0-9])(?:(?:x-)?req(?:uest)?[ ._-]?id|rid)\\?["']?[ =:]{1,3}\\?["']?(?=[\w.:+/=@-]{0,40}\d)([A-Za-z0-9][\w.:+/=@-]{3,199})/i;
/** vLLM: `Received request cmpl-…: prompt`, `Added request chatcmpl-….`, `Aborted request(s) …`. */
const ENGINE =
  /request(?:\(s\))? ((?:chatcmpl|cmpl|embd|score|rerank|pool|resp|batch|classify)-[A-Za-z0-9][\w-]{5,199})/;
/** Envoy's default access log quotes X-Forwarded-For, User-Agent, X-Request-ID, authority and upstream at the end. */
const ENVOY = /[\d-] (?:"[^"]{0,2000}" ){2}"([0-9a-zA-Z][0-9a-zA-Z_-]{7,127})" "[^"]{0,300}" "[^"]{0,300}"/;

function isEnvoy(head: string): boolean {
  return head.charCodeAt(0) === 0x5b && head.charCodeAt(1) === 0x32 && head.includes('] "', 11);
}

function requestIdIn(head: string): string {
  const id = REQUEST.exec(head)?.[1] ?? ENGINE.exec(head)?.[1] ?? (isEnvoy(head) ? (ENVOY.exec(head)?.[1] ?? '') : '');
  // A sentence's end is no part of it; nor is the number of a prompt within a request of several.
  return id.replace(/[.:/=-]+$/, '').replace(/^(cmpl-[0-9a-f]{32})-\d{1,4}$/, '$1');
}

function usableTraceId(id: string): string {
  return /^[0-9a-f]{32}$/.test(id) && id !== NO_TRACE ? id : '';
}

function usableSpanId(id: string): string {
  return /^[0-9a-f]{16}$/.test(id) && id !== NO_SPAN ? id : '';
}

const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
