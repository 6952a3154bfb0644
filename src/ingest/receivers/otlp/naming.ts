import { redactText } from '../../pipeline/index.ts';

/**
 * Names of OTLP metrics and attributes as Prometheus 3 gives them by default ("UnderscoreEscapingWithSuffixes"):
 * underscores for what is not allowed, the unit and `_total` or `_ratio` at the end.
 * Source: OpenTelemetry specification, "Prometheus and OpenMetrics Compatibility".
 */

const UNITS: Readonly<Record<string, string>> = {
  d: 'days', h: 'hours', min: 'minutes', s: 'seconds', ms: 'milliseconds', us: 'microseconds', ns: 'nanoseconds',
  By: 'bytes', KiBy: 'kibibytes', MiBy: 'mebibytes', GiBy: 'gibibytes', TiBy: 'tibibytes',
  KBy: 'kilobytes', MBy: 'megabytes', GBy: 'gigabytes', TBy: 'terabytes',
  m: 'meters', V: 'volts', A: 'amperes', J: 'joules', W: 'watts', g: 'grams', Cel: 'celsius', Hz: 'hertz', '1': '', '%': 'percent',
}; // biome-ignore format: a table

const PER_UNITS: Readonly<Record<string, string>> = {
  s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week', mo: 'month', y: 'year',
}; // biome-ignore format: a table

export type NamedKind = 'gauge' | 'monotonic' | 'other';

export function metricName(name: string, unit: string, kind: NamedKind): string {
  const key = `${kind}\u0000${unit}\u0000${name}`;
  const known = names.get(key);
  if (known !== undefined) return known;
  if (names.size >= 20_000) names.clear();
  const built = buildMetricName(name, unit, kind);
  names.set(key, built);
  return built;
}

const names = new Map<string, string>();

function buildMetricName(name: string, unit: string, kind: NamedKind): string {
  let tokens = name.split(/[^a-zA-Z0-9:]+/).filter((token) => token !== '');
  const [main, per] = unitSuffixes(unit);
  const addMain = main !== '' && !tokens.includes(main);
  const addPer = per !== '' && !tokens.includes(per);
  if (addMain) tokens.push(main);
  if (addPer) tokens.push('per', per);
  if (kind === 'monotonic') tokens = [...tokens.filter((token) => token !== 'total'), 'total'];
  if (kind === 'gauge' && unit === '1') tokens = [...tokens.filter((token) => token !== 'ratio'), 'ratio'];
  const joined = tokens.join('_');
  return /^[0-9]/.test(joined) ? `_${joined}` : joined;
}

function unitSuffixes(unit: string): [string, string] {
  const slash = unit.indexOf('/');
  const main = (slash < 0 ? unit : unit.slice(0, slash)).trim();
  const per = slash < 0 ? '' : unit.slice(slash + 1).trim();
  return [suffix(main, UNITS), suffix(per, PER_UNITS)];
}

/** Units in braces are annotations and name nothing. */
function suffix(unit: string, words: Readonly<Record<string, string>>): string {
  if (unit === '' || /[{}]/.test(unit)) return '';
  const word = Object.hasOwn(words, unit) ? (words[unit] ?? '') : unit;
  return word
    .split(/[^a-zA-Z0-9]+/)
    .filter((token) => token !== '')
    .join('_');
}

export function labelName(attribute: string): string {
  const known = labelNames.get(attribute);
  if (known !== undefined) return known;
  if (labelNames.size >= 20_000) labelNames.clear();
  const built = buildLabelName(attribute);
  labelNames.set(attribute, built);
  return built;
}

const labelNames = new Map<string, string>();

function buildLabelName(attribute: string): string {
  // Before the characters by which a secret is known are gone.
  const name = redactText(attribute).replace(/[^a-zA-Z0-9_]/gu, '_');
  if (/^[0-9]/.test(name)) return `key_${name}`;
  return name.startsWith('_') && !name.startsWith('__') ? `key${name}` : name;
}

/** A number as Go prints it without an exponent: what Prometheus writes into `le` and `quantile` of OTLP metrics. */
export function plainNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = '', lead = '', fraction = '', exponent = '0'] = match;
  const digits = lead + fraction;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, '0')}`;
}
