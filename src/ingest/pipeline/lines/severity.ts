import { withoutAnsi } from './ansi.ts';

/** OTLP's severity numbers for the words that programs use. */
const NUMBERS: ReadonlyMap<string, number> = new Map([
  ['trace', 1], ['trce', 1], ['verbose', 1], ['debug', 5], ['dbg', 5], ['dbug', 5], ['info', 9], ['information', 9], ['log', 9],
  ['notice', 10], ['warn', 13], ['warning', 13], ['error', 17], ['err', 17], ['eror', 17], ['fail', 17], ['severe', 17],
  ['fatal', 21], ['critical', 21], ['crit', 21], ['panic', 21], ['dpanic', 21], ['alert', 21], ['emergency', 21], ['emerg', 21],
  ['trc', 1], ['vrb', 1], ['inf', 9], ['wrn', 13], ['ftl', 21], ['pnc', 21],
]); // biome-ignore format: a table

/** What pino and bunyan write. */
const PINO: ReadonlyMap<string, number> = new Map([
  ['10', 1], ['20', 5], ['30', 9], ['40', 13], ['50', 17], ['60', 21],
]); // biome-ignore format: a table

/** klog, glog, Jupyter, Ruby, MongoDB. */
const LETTERS: ReadonlyMap<string, number> = new Map([
  ['T', 1], ['V', 1], ['D', 5], ['I', 9], ['N', 10], ['W', 13], ['E', 17], ['F', 21], ['C', 21],
]); // biome-ignore format: a table

/** Syslog's severities 0 to 7 as OTLP's data model maps them. */
const SYSLOG = [21, 21, 21, 17, 13, 10, 9, 5] as const;

/** The number for a sender's own word, as `ERROR`, `warn` or Go's `INFO+2`; 0 when it is none. */
export function severityOfWord(word: string): number {
  if (word === '') return 0;
  const known = NUMBERS.get(word) ?? NUMBERS.get(word.toLowerCase()) ?? PINO.get(word);
  if (known !== undefined) return known;
  const slog = /^(DEBUG|INFO|WARN|ERROR)([+-]\d{1,2})$/.exec(word);
  if (slog === null) return LETTERS.get(word) ?? 0;
  return Math.min(24, Math.max(1, (NUMBERS.get((slog[1] ?? '').toLowerCase()) ?? 0) + Number(slog[2])));
}

/** Only the beginning of a line is looked at, and the end of a JSON line: loggers put it there, and lines may be long. */
const HEAD = 400;
const JSON_HEAD = 1000;
const JSON_TAIL = 400;

/**
 * The severity that a line states: its JSON or logfmt field, klog's letter, syslog's priority, a level in brackets or
 * as a word in capitals; error for a stack trace that states none. A line that states none is 0: a guess from words
 * like "failed" would colour whole pages.
 */
export function severityOfLine(raw: string): number {
  const line =
    raw.charCodeAt(0) === 0x1b || raw.slice(0, HEAD).includes('\x1b') ? withoutAnsi(raw.slice(0, 2 * HEAD)) : raw;
  const first = line.charCodeAt(0);
  if (first === OPENING_BRACE) return ofJson(line);
  const head = line.length > HEAD ? line.slice(0, HEAD) : line;
  return (first === LESS_THAN ? ofSyslog(head) : 0) || ofText(head, first) || ofStackTrace(raw);
}

const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
const LESS_THAN = 0x3c;

function ofJson(line: string): number {
  const head = line.length > JSON_HEAD ? line.slice(0, JSON_HEAD) : line;
  const found = JSON_FIELD.exec(head) ?? (line.length > JSON_HEAD ? JSON_FIELD.exec(line.slice(-JSON_TAIL)) : null);
  if (found !== null) {
    const stated = severityOfWord(found[1] ?? '');
    if (stated !== 0) return stated;
  }
  const mongo = line.startsWith('{"t":{"$date"') ? /"s": {0,1}"([A-Z])\d?"/.exec(head) : null;
  if (mongo !== null) return LETTERS.get(mongo[1] ?? '') ?? 0;
  const nested = NESTED.exec(head);
  return nested === null ? 0 : ofText((nested[1] ?? '').slice(0, HEAD), (nested[1] ?? '').charCodeAt(0));
}

/** A level's field with a word or a number, also in JSON that is text in other JSON. */
const JSON_FIELD =
  /"(?:level|severity|lvl|levelname|log\.level|loglevel|log_level|severity_text|severityText|LEVEL|SEVERITY|Level|LogLevel|@l)\\?" {0,2}: {0,2}\\?"?([A-Za-z]{1,11}(?:[+-]\d{1,2})?|\d\d)\b/;
/** The line inside of a shipper's own JSON. */
const NESTED = /"(?:log|message|msg|MESSAGE)" {0,2}: {0,2}"((?:[^"\\]|\\.){1,400})/;

function ofSyslog(head: string): number {
  const priority = /^<(\d{1,3})>/.exec(head);
  return priority === null || Number(priority[1]) > 191 ? 0 : (SYSLOG[Number(priority[1]) % 8] ?? 0);
}

function ofText(head: string, first: number): number {
  if (first >= 0x43 && first <= 0x57 && KLOG.test(head)) return LETTERS.get(head[0] ?? '') ?? 0;
  if (first === OPENING_BRACKET) {
    const letter = /^\[([TDINWEFC])[ \]]\s?\d/.exec(head);
    if (letter !== null) return LETTERS.get(letter[1] ?? '') ?? 0;
  }
  const field = FIELD.exec(head);
  if (field !== null) {
    const named = severityOfWord(field[1] ?? '');
    if (named !== 0) return named;
  }
  const word = WORD.exec(head);
  if (word !== null) return NUMBERS.get((word[1] ?? word[2] ?? '').toLowerCase()) ?? 0;
  const bracketed = BRACKETED.exec(head) ?? CONSOLE.exec(head);
  return bracketed === null ? 0 : (NUMBERS.get((bracketed[1] ?? '').toLowerCase()) ?? 0);
}

/** klog and glog `E1201 14:46:59.123456       1 file.go:12] …`, Ruby `E, [2026-12-01T…`. */
const KLOG = /^[IWEFDC](?:\d{4} \d{2}:\d{2}:\d{2}\.|\d{8} \d{2}:\d{2}:\d{2}|, \[\d{4}-)/;
/** `level=error`, `lvl: warn`, `severity="INFO"`; also JSON behind some other text. */
const FIELD =
  /(?:^|[\s,{"\\(])(?:[Ll]evel|LEVEL|[Ll]vl|LVL|[Ss]everity|SEVERITY|log\.level|levelname)\\?"?\s{0,2}[=:]\s{0,2}\\?"?([A-Za-z]{1,11}(?:[+-]\d{1,2})?)\b/;
/** A level as a word of its own, in capitals: `INFO:`, `[ERROR]`, `WARN `, `INF` (vLLM, uvicorn, log4j, Python, zerolog), PostgreSQL's `LOG:`. */
const WORD =
  /(?:^|[\s[|("<:;-])(?:(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|PANIC|SEVERE|TRC|DBG|INF|WRN|ERR|FTL)(?=[\s\]|:)",>;-]|$)|(LOG)(?=: {2}))/;
/** nginx `[error]`, Envoy `[warning]`, Apache `[core:error]`. */
const BRACKETED =
  /\[(?:[a-z0-9_]{1,30}:)?(trace|debug|info|notice|warn|warning|error|err|crit|critical|alert|emerg|fatal|panic)\]/;
/** .NET's console and plain programs: `fail: Microsoft…`, `error: …`, `warning: …`. */
const CONSOLE = /^(trce|dbug|debug|info|warn|warning|fail|crit|error|fatal|panic): /i;

/** Traces that a program printed past its logger. */
function ofStackTrace(text: string): number {
  const end = text.indexOf('\n');
  if (end < 0) return text.startsWith('panic: ') || text.startsWith('fatal error: ') ? 21 : 0;
  if (text.startsWith('panic: ') || text.startsWith('fatal error: ')) return 21;
  const next = text.slice(end + 1, end + 300);
  return /^\s+at \S|^\s+File "|^goroutine \d|\d\d: \S+ {2}File "/.test(next) ||
    text.includes('Traceback (most recent call last):\n')
    ? 17
    : 0;
}
