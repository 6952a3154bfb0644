/** A span of time in milliseconds since the epoch, `from` included, `to` included. */
export interface TimeRange {
  from: number;
  to: number;
}

/** RFC 3339 in UTC with milliseconds, the form in which every time leaves Trifocal. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}

const DURATION_UNITS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

/** Prometheus' duration form (`1h30m`, `90s`, `100ms`) in milliseconds, or undefined when it is not one. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const match = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/.exec(text);
  if (!match || text === '') return undefined;
  const units = ['y', 'w', 'd', 'h', 'm', 's', 'ms'];
  return units.reduce((sum, unit, i) => sum + Number(match[i + 1] ?? 0) * (DURATION_UNITS[unit] ?? 0), 0);
}

/**
 * A time as users write it: RFC 3339, epoch seconds (decimals allowed), `now`, or `now-15m`.
 * Returns milliseconds since the epoch, or undefined when it is none of these.
 */
export function parseTime(text: string, nowMs: number): number | undefined {
  if (text === 'now') return nowMs;
  const relative = /^now([+-])(.+)$/.exec(text);
  if (relative) {
    const offset = parseDuration(relative[2] ?? '');
    return offset === undefined ? undefined : nowMs + (relative[1] === '-' ? -offset : offset);
  }
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * RFC 3339 with up to nine digits of a second, in nanoseconds since the epoch and exact; undefined when it is
 * something else or a day that does not exist.
 */
export function parseTimeNs(text: string): bigint | undefined {
  if (text.length > 40) return undefined;
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/.exec(text);
  if (match === null) return undefined;
  const ms = Date.parse(`${match[1]}${match[3]}`);
  if (Number.isNaN(ms)) return undefined;
  return BigInt(ms) * 1_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
}
