import type { LogRecord } from '../../model/index.ts';

/** OTLP's severity numbers for the words that programs use. */
const NUMBERS: ReadonlyMap<string, number> = new Map([
  ['trace', 1], ['debug', 5], ['dbg', 5], ['info', 9], ['information', 9], ['notice', 10], ['warn', 13], ['warning', 13],
  ['error', 17], ['err', 17], ['fatal', 21], ['critical', 21], ['crit', 21], ['panic', 21], ['alert', 21], ['emergency', 21], ['emerg', 21],
]); // biome-ignore format: a table

/** Only the beginning of a line is looked at: that is where loggers put it, and lines may be long. */
const HEAD = 400;

/** A field named level or severity, as JSON, logfmt or nested JSON write it. */
const FIELD =
  /(?:^|[\s,{"\\])(?:level|lvl|severity|log\.level|levelname)\\?"?\s{0,2}[=:]\s{0,2}\\?"?([A-Za-z]{3,11})\b/i;
/** A level as a word of its own, in capitals: `INFO:`, `[ERROR]`, `WARN ` (vLLM, uvicorn, log4j, Python). */
const WORD = /(?:^|[\s[|("])(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|PANIC)(?=[\s\]|:)",]|$)/;
/** klog: `E1201 14:46:59.123456       1 file.go:12] …`. */
const KLOG = /^([IWEF])\d{4} \d{2}:\d{2}:\d{2}\./;
const KLOG_NUMBERS: Readonly<Record<string, number>> = { I: 9, W: 13, E: 17, F: 21 };

/**
 * Gives a record without a severity the one that its text or its line states. A line that states none keeps 0: a
 * guess from words like "failed" would colour whole pages.
 */
export function detectSeverity(record: LogRecord): LogRecord {
  if (record.severity !== 0) return record;
  const severity = NUMBERS.get(record.severityText.toLowerCase()) ?? severityOfLine(record.body);
  return severity === 0 ? record : { ...record, severity };
}

export function severityOfLine(line: string): number {
  const head = line.length > HEAD ? line.slice(0, HEAD) : line;
  const klog = KLOG.exec(head);
  if (klog) return KLOG_NUMBERS[klog[1] ?? ''] ?? 0;
  const field = FIELD.exec(head);
  const named = field && NUMBERS.get((field[1] ?? '').toLowerCase());
  if (named) return named;
  return NUMBERS.get((WORD.exec(head)?.[1] ?? '').toLowerCase()) ?? 0;
}
