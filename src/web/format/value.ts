import { type Unit, unitOf } from './unit.ts';

/** What stands where nothing was measured. */
export const ABSENT = '–';
const THIN = '\u2009';
const MINUS = '−';

export interface Parts {
  text: string;
  unit: string;
}

/** The one scale that all values of a table's column share. */
export interface Column {
  divisor: number;
  symbol: string;
  decimals: number;
  /** Values are written one by one, since the column's range makes one scale unreadable (durations over 100 s, counts). */
  free: boolean;
}

export interface FormatOptions {
  column?: Column;
  /** Put a plus before positive values: for differences. */
  signed?: boolean;
}

/**
 * A value with its unit as every page writes it: three significant digits, a thin space, a real minus, `–` when absent.
 * With `column` the unit is left out (it stands in the column's head).
 */
export function formatValue(value: number | null | undefined, unit: string, options: FormatOptions = {}): string {
  const parts = formatParts(value, unit, options);
  if (parts.unit === '') return parts.text;
  return `${parts.text}${unitOf(unit).tight ? '' : THIN}${parts.unit}`;
}

/** The same in two parts, for places that set the unit smaller. */
export function formatParts(value: number | null | undefined, unit: string, options: FormatOptions = {}): Parts {
  if (value === null || value === undefined || Number.isNaN(value)) return { text: ABSENT, unit: '' };
  const kind = unitOf(unit);
  const scaled = Math.abs(value) * (kind.factor ?? 1);
  if (!Number.isFinite(scaled)) return { text: withSign('∞', value, options), unit: kind.symbol };
  const { column } = options;
  const parts = column && !column.free ? inColumn(scaled, column) : alone(scaled, kind);
  const isZero = !/[1-9]/.test(parts.text);
  return {
    text: isZero ? parts.text : withSign(parts.text, value, options),
    unit: column?.free === false ? '' : parts.unit,
  };
}

/** The scale of a column, chosen by the median of what is in it. */
export function columnOf(values: readonly (number | null | undefined)[], unit: string): Column {
  const kind = unitOf(unit);
  const sizes = values
    .filter((v): v is number => typeof v === 'number' && Number.isFinite(v) && v !== 0)
    .map((v) => Math.abs(v) * (kind.factor ?? 1))
    .sort((a, b) => a - b);
  const median = sizes[Math.floor((sizes.length - 1) / 2)] ?? 0;
  if (kind.kind === 'count' || (kind.kind === 'seconds' && median >= 100))
    return { ...ONE, symbol: kind.symbol, free: true };
  const scale = scaleFor(median, kind);
  const decimals = kind.kind === 'share' ? 1 : Math.min(decimalsFor(median / scale.divisor), kind.maxDecimals ?? 2);
  return { ...scale, decimals, free: false };
}

/** What stands behind the column's name in its head: `TTFT p95 s`. */
export function columnUnit(column: Column): string {
  return column.free ? '' : column.symbol;
}

/** Labels for the ticks of an axis: one scale for all, the unit behind the highest. */
export function formatTicks(ticks: readonly number[], unit: string): string[] {
  const kind = unitOf(unit);
  const factor = kind.factor ?? 1;
  const top = Math.max(...ticks.map((t) => Math.abs(t) * factor), 0);
  const scale = axisScale(top, kind);
  const step = ticks.length > 1 ? Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0)) * factor : top;
  const decimals = decimalsOfStep(step / scale.divisor);
  const highest = ticks.length - 1;
  return ticks.map((tick, i) => {
    const text = group(((tick * factor) / scale.divisor).toFixed(decimals).replace('-', MINUS));
    return i === highest && scale.symbol !== '' ? `${text}${kind.tight ? '' : THIN}${scale.symbol}` : text;
  });
}

/** By what raw values are divided on an axis that reaches up to `top`, so that its ticks can be round in the unit shown. */
export function axisDivisor(top: number, unit: string): number {
  const kind = unitOf(unit);
  const factor = kind.factor ?? 1;
  return axisScale(Math.abs(top) * factor, kind).divisor / factor;
}

/** `1 m 45 s`, `3 h 12 m`, `2 d 4 h`: two steps at most. */
export function formatDuration(seconds: number): string {
  if (threeDigits(seconds) < 100) return formatValue(seconds, 's');
  const whole = Math.round(seconds);
  const steps: [number, string][] = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'm'],
    [1, 's'],
  ];
  const first = steps.findIndex(([size]) => whole >= size);
  const [size, symbol] = steps[first] ?? [1, 's'];
  const [nextSize, nextSymbol] = steps[first + 1] ?? [1, 's'];
  const rest = Math.floor((whole % size) / nextSize);
  const head = `${Math.floor(whole / size)}${THIN}${symbol}`;
  return rest === 0 ? head : `${head} ${rest}${THIN}${nextSymbol}`;
}

interface Scale {
  divisor: number;
  symbol: string;
}

const ONE = { divisor: 1, symbol: '', decimals: 0 };
const SI = ['', 'k', 'M', 'G', 'T', 'P'];
const IEC = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

function alone(size: number, unit: Unit): Parts {
  if (unit.kind === 'share') return { text: formatShare(size), unit: '%' };
  if (size === 0) return { text: '0', unit: unit.symbol };
  if (unit.kind === 'seconds' && threeDigits(size) >= 100) return splitLast(formatDuration(size));
  if (unit.kind === 'count' && Number.isInteger(size) && size < 1e6) return { text: grouped(size), unit: unit.symbol };
  const scale = scaleFor(size, unit);
  return { text: fixed(size / scale.divisor, decimalsFor(size / scale.divisor, unit)), unit: scale.symbol };
}

function inColumn(size: number, column: Column): Parts {
  if (size === 0) return { text: '0', unit: column.symbol };
  const text = fixed(size / column.divisor, column.decimals);
  if (/[1-9]/.test(text)) return { text, unit: column.symbol };
  return { text: `<${THIN}${(10 ** -column.decimals).toFixed(column.decimals)}`, unit: column.symbol };
}

/** The fewest decimals that tell neighbouring ticks apart without rounding them. */
function decimalsOfStep(step: number): number {
  let decimals = 0;
  while (decimals < 6 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) decimals++;
  return decimals;
}

function formatShare(share: number): string {
  const percent = share * 100;
  if (percent === 0) return '0';
  if (percent < 0.1) return `<${THIN}0.1`;
  if (percent === 100) return '100';
  if (percent > 99.9 && percent < 100) return (Math.floor(percent * 100) / 100).toFixed(2);
  if (percent < 9.95 || (percent > 99 && percent < 100)) return percent.toFixed(1);
  return grouped(Math.round(percent));
}

function scaleFor(size: number, unit: Unit): Scale {
  if (unit.kind === 'seconds') return secondsScale(threeDigits(size));
  if (unit.kind === 'share') return { divisor: 0.01, symbol: '%' };
  if (unit.kind === 'binary') return prefixed(size, 1024, IEC, unit.symbol);
  if (unit.kind === 'decimal') return prefixed(size, 1000, SI, unit.symbol);
  if (unit.kind === 'count' && size >= 1e4) return prefixed(size, 1000, SI, unit.symbol);
  return { divisor: 1, symbol: unit.symbol };
}

function axisScale(top: number, unit: Unit): Scale {
  if (unit.kind === 'seconds' && top >= 7200) return { divisor: 3600, symbol: 'h' };
  if (unit.kind === 'seconds' && top >= 120) return { divisor: 60, symbol: 'm' };
  return scaleFor(top, unit);
}

function secondsScale(size: number): Scale {
  if (size >= 1 || size === 0) return { divisor: 1, symbol: 's' };
  if (size >= 1e-3) return { divisor: 1e-3, symbol: 'ms' };
  if (size >= 1e-6) return { divisor: 1e-6, symbol: 'µs' };
  return { divisor: 1e-9, symbol: 'ns' };
}

function prefixed(size: number, base: number, prefixes: readonly string[], symbol: string): Scale {
  let power = 0;
  while (power < prefixes.length - 1 && threeDigits(size / base ** power) >= (base === 1024 ? 1000 : base)) power++;
  const prefix = prefixes[power] ?? '';
  // `k tok/s` but `kB/s`: a prefix joins a symbol of one letter, and stands apart from a word.
  const joint = prefix !== '' && /^[a-z]{2,}/.test(symbol) ? ' ' : '';
  return { divisor: base ** power, symbol: `${prefix}${joint}${symbol}` };
}

function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}

function decimalsFor(value: number, unit?: Unit): number {
  const size = threeDigits(Math.abs(value));
  const decimals = size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 2 - Math.floor(Math.log10(size));
  return Math.min(decimals, unit?.maxDecimals ?? 8);
}

function fixed(value: number, decimals: number): string {
  return group(value.toFixed(decimals));
}

function grouped(value: number): string {
  return value > 9999 ? group(String(value)) : String(value);
}

function group(text: string): string {
  const [whole = '', rest] = text.split('.');
  if (whole.replace(MINUS, '').length < 5) return text;
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, THIN);
  return rest === undefined ? spaced : `${spaced}.${rest}`;
}

function splitLast(text: string): Parts {
  const at = text.lastIndexOf(THIN);
  return { text: text.slice(0, at), unit: text.slice(at + 1) };
}

function withSign(text: string, value: number, options: FormatOptions): string {
  if (value < 0) return `${MINUS}${text}`;
  return options.signed && value > 0 ? `+${text}` : text;
}
