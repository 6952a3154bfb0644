import pino from 'pino';
import type { Logger } from '../logger.ts';

/**
 * A logger on standard error. `redact` sees every finished line before it is written, since a log file is
 * a disk like any other.
 */
export function createLogger(options: {
  level: string;
  format: 'text' | 'json';
  redact: (line: string) => string;
}): Logger {
  const write = (line: string) => process.stderr.write(options.redact(options.format === 'json' ? line : toText(line)));
  return pino({ level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}

const LEVELS: Record<number, string> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };

/** One line a person can read, from pino's JSON. */
function toText(json: string): string {
  const { level, time, msg, ...fields } = JSON.parse(json) as Record<string, unknown>; // pino wrote it
  const rest = Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  return `${time} ${(LEVELS[Number(level)] ?? 'info').padEnd(5)} ${msg}${rest ? ` (${rest})` : ''}\n`;
}
