/** The shortest decimal form without an exponent, as Go's `FormatFloat(x, 'f', -1, 64)`. */
export function formatDecimal(value: number): string {
  if (!Number.isFinite(value)) return formatNumber(value);
  const text = Object.is(value, -0) ? '-0' : String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = '', lead = '', fraction = '', exponentText = '0'] = match;
  const digits = lead + fraction;
  const exponent = Number(exponentText);
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(exponent + 1, '0');
}

/**
 * The form of sample values in answers: shortest round-trip, exponent (of two digits at least, as Go writes it) under
 * 1e-6 and from 1e21, `NaN`, `+Inf`, `-Inf`.
 */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  if (Object.is(value, -0)) return '-0';
  return String(value).replace(/e([+-])(\d)$/, (_, sign, digit) => `e${sign}0${digit}`);
}
