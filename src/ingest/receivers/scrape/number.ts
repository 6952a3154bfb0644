/**
 * Numbers as Prometheus' text formats write them: Go's `ParseFloat` without hexadecimal and underscores, so also `Inf`,
 * `+inf`, `Infinity`, `NaN`. Returns undefined for anything else, and for what does not fit into a double.
 */
export function parseValue(bytes: Buffer, start: number, end: number): number | undefined {
  // Digits with at most one point: exact as long as the digits are below 2^53 and the power of ten below 10^23.
  let mantissa = 0;
  let decimals = -1;
  let digits = 0;
  let pos = start;
  const negative = bytes[pos] === MINUS;
  if (negative) pos++;
  for (; pos < end; pos++) {
    const byte = bytes[pos] ?? 0;
    if (byte >= ZERO && byte <= NINE) {
      mantissa = mantissa * 10 + (byte - ZERO);
      digits++;
      if (decimals >= 0) decimals++;
    } else if (byte === POINT && decimals < 0) decimals = 0;
    else break;
  }
  if (pos === end && digits > 0 && digits <= 15) {
    const value = decimals > 0 ? mantissa / (POWERS[decimals] ?? 1) : mantissa;
    return negative ? -value : value;
  }
  return parseRest(bytes.toString('latin1', start, end));
}

function parseRest(text: string): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  if (/^\+?inf(inity)?$/i.test(text)) return Number.POSITIVE_INFINITY;
  if (/^-inf(inity)?$/i.test(text)) return Number.NEGATIVE_INFINITY;
  return /^nan$/i.test(text) ? Number.NaN : undefined;
}

const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const POWERS = Array.from({ length: 23 }, (_, i) => 10 ** i);

/**
 * A bound or quantile as Prometheus 3 spells it, whatever the page wrote: `1` becomes `1.0`, `1000000` becomes `1e+06`
 * (Go's shortest form, which takes an exponent below 1e-4 and from 1e6 on). What is no number stays.
 */
export function normalNumber(text: string): string {
  const bytes = Buffer.from(text);
  const value = parseValue(bytes, 0, bytes.length);
  if (value === undefined) return text;
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return '0.0';
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power < -4 || power >= 6) {
    return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  }
  const plain = String(value); // JavaScript's own exponents begin below 1e-6 and at 1e21
  return plain.includes('.') ? plain : `${plain}.0`;
}
