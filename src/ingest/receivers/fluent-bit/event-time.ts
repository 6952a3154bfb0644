import { type AttributeValue, parseTimeNs } from '../../../model/index.ts';

/**
 * Nanoseconds of a `date` in any of Fluent Bit's forms: epoch seconds as a decimal (`double`), whole seconds (`epoch`),
 * milliseconds (`epoch_ms`), `iso8601` or `java_sql_timestamp` text; undefined for anything else.
 */
export function eventTimeNs(value: AttributeValue | undefined): bigint | undefined {
  if (typeof value === 'bigint') return wholeNs(value);
  if (typeof value === 'number') return Number.isFinite(value) && Math.abs(value) < 1e11 ? decimalNs(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const iso = value.charCodeAt(10) === SPACE ? `${value.slice(0, 10)}T${value.slice(11)}` : value;
  return parseTimeNs(iso) ?? parseTimeNs(`${iso}Z`);
}

const SPACE = 0x20;

/** Seconds up to the year 5138; larger numbers are milliseconds, microseconds or nanoseconds. */
function wholeNs(value: bigint): bigint | undefined {
  if (value < 0n) return undefined;
  if (value < 100_000_000_000n) return value * 1_000_000_000n;
  if (value < 100_000_000_000_000n) return value * 1_000_000n;
  if (value < 100_000_000_000_000_000n) return value * 1000n;
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** A double of seconds today holds steps of 0.24 µs: rounded to 0.1 µs it is the decimal that was written. */
function decimalNs(seconds: number): bigint {
  const whole = Math.floor(seconds);
  return BigInt(whole) * 1_000_000_000n + BigInt(Math.round((seconds - whole) * 1e7)) * 100n;
}
