/** What a file holds, told by its first bytes. */
export type ImportFormat =
  | { kind: 'remote-write'; version: 1 | 2 }
  | { kind: 'metrics-text'; time: 'seconds' | 'milliseconds' }
  | { kind: 'otlp'; signal: 'traces' | 'metrics' | 'logs'; lines: boolean }
  | { kind: 'loki'; lines: boolean }
  | { kind: 'objects'; syntax: 'json' | 'yaml' };

/** Why a file is not taken: a sentence's end, after the name of the file. */
export class UnknownFormat extends Error {
  override name = 'UnknownFormat';
}

const KNOWN =
  'OpenMetrics or Prometheus text with times, remote-write bodies, OTLP JSON, Loki push JSON, and Kubernetes objects as JSON or YAML are known, each also gzipped';

/** Tells the format from the beginning of the content, unzipped; 64 KiB are enough. Throws UnknownFormat. */
export function detectFormat(head: Buffer): ImportFormat {
  if (head.length === 0) throw new UnknownFormat('is empty');
  const version = remoteWriteVersion(head);
  if (version !== undefined) return { kind: 'remote-write', version };
  const text = head.toString('utf8').replace(/^\uFEFF/, '');
  const start = text.trimStart();
  if (start.startsWith('{') || start.startsWith('[')) return jsonFormat(start);
  if (
    /^(---|apiVersion:|kind:|items:|#[^\n]*\n(apiVersion|kind|---))/m.test(start) &&
    /^(kind|apiVersion):/m.test(start)
  ) {
    return { kind: 'objects', syntax: 'yaml' };
  }
  return textFormat(start);
}

/**
 * A snappy block begins with the length of its content and a literal, whose first byte is the tag of the first protobuf
 * field: 1 or 3 in version 1.0, 4 or 5 in version 2.0.
 */
function remoteWriteVersion(head: Buffer): 1 | 2 | undefined {
  let pos = 0;
  while (pos < 5 && ((head[pos] ?? 0) & 0x80) !== 0) pos++;
  pos++;
  const element = head[pos] ?? 0xff;
  if ((element & 3) !== 0) return undefined;
  const length = element >> 2;
  const tag = head[pos + 1 + (length >= 60 ? length - 59 : 0)];
  // In text these positions hold printable characters; what follows a tag is a length in binary.
  if (isText(head)) return undefined;
  if (tag === 0x0a || tag === 0x1a) return 1;
  if (tag === 0x22 || tag === 0x2a) return 2;
  return undefined;
}

function isText(head: Buffer): boolean {
  return head.subarray(0, 4096).every((byte) => byte >= 32 || byte === 9 || byte === 10 || byte === 13);
}

const OTLP = { resourceSpans: 'traces', resourceMetrics: 'metrics', resourceLogs: 'logs' } as const;

function jsonFormat(text: string): ImportFormat {
  const [, key] = /^\{\s*"(resourceSpans|resourceMetrics|resourceLogs|streams)"/.exec(text) ?? [];
  if (key === 'streams') return { kind: 'loki', lines: isOneLine(text) };
  if (key === 'resourceSpans' || key === 'resourceMetrics' || key === 'resourceLogs') {
    return { kind: 'otlp', signal: OTLP[key], lines: isOneLine(text) };
  }
  if (/"(apiVersion|kind)"\s*:/.test(text)) return { kind: 'objects', syntax: 'json' };
  throw new UnknownFormat(`is JSON, but begins with no key that is known (${KNOWN})`);
}

/** Whether the first value ends with its line, or is so long that it does not end in what was read. */
function isOneLine(text: string): boolean {
  const end = text.indexOf('\n');
  const first = end === -1 ? text : text.slice(0, end);
  return end === -1 ? !/^\{\s*\n/.test(text) && text.length > 1 : first.trimEnd().endsWith('}') && first.length > 2;
}

/** 1e11 as seconds is the year 5138, as milliseconds 1973. */
const SECONDS_BELOW = 1e11;

function textFormat(text: string): ImportFormat {
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, time] =
      /^[a-zA-Z_:{][^\n]*?[}\w:]\s+(?:[-+]?[\d.][\w.+-]*|[-+]?Inf|NaN)(?:\s+([-+]?\d+(?:\.\d+)?(?:e[+-]?\d+)?))?(?:\s+#.*)?\s*$/i.exec(
        line,
      ) ?? ['', undefined, ''];
    if (time === undefined && /^[a-zA-Z_:][\w:]*(\{.*\})?\s+\S+\s*$/.test(line)) {
      throw new UnknownFormat(
        `has samples without times (${line.slice(0, 100)}); an import needs OpenMetrics with times`,
      );
    }
    if (time === undefined) break;
    return { kind: 'metrics-text', time: Math.abs(Number(time)) < SECONDS_BELOW ? 'seconds' : 'milliseconds' };
  }
  throw new UnknownFormat(`is of no format that is known (${KNOWN})`);
}
