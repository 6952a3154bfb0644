import { describe, expect, it } from 'vitest';
import { columnOf, columnUnit, formatDuration, formatTicks, formatValue } from './value.ts';

/** Thin spaces are written as `_` here, so that they can be seen. */
const seen = (text: string) => text.replaceAll('\u2009', '_');

const ROWS: [number | null | undefined, string, string][] = [
  [null, 's', '–'],
  [undefined, 'bytes', '–'],
  [Number.NaN, 'ratio', '–'],
  [Number.POSITIVE_INFINITY, 's', '∞_s'],
  // seconds
  [0, 's', '0_s'],
  [4.2112, 's', '4.21_s'],
  [0.8421, 's', '842_ms'],
  [0.0009, 's', '900_µs'],
  [48, 's', '48.0_s'],
  [99.94, 's', '99.9_s'],
  [99.99, 's', '1_m 40_s'],
  [105, 's', '1_m 45_s'],
  [120, 's', '2_m'],
  [11_520, 'seconds', '3_h 12_m'],
  [187_200, 's', '2_d 4_h'],
  [0.99996, 's', '1.00_s'],
  [2.5e-8, 's', '25.0_ns'],
  [-0.25, 's', '−250_ms'],
  [250, 'ms', '250_ms'],
  // memory and disk: binary
  [65_927_000_000, 'bytes', '61.4_GiB'],
  [85_899_345_920, 'B', '80.0_GiB'],
  [1_073_741_824, 'By', '1.00_GiB'],
  [512, 'bytes', '512_B'],
  // network, rates, hertz, watts: decimal
  [1.2e9, 'bytes/s', '1.20_GB/s'],
  [12_400, 'tokens/s', '12.4_k tok/s'],
  [12.4, 'req/s', '12.4_req/s'],
  [7.25, '1/s', '7.25_/s'],
  [1.98e9, 'Hz', '1.98_GHz'],
  [1215, 'MHz', '1.22_GHz'],
  [612, 'W', '612_W'],
  [91, 'celsius', '91_°C'],
  [67.6, '°C', '68_°C'],
  // shares
  [0, 'ratio', '0_%'],
  [0.0005, 'ratio', '<_0.1_%'],
  [0.074, 'ratio', '7.4_%'],
  [0.0996, 'ratio', '10_%'],
  [0.38, 'ratio', '38_%'],
  [0.9951, 'ratio', '99.5_%'],
  [0.9995, 'ratio', '99.95_%'],
  [0.99999, 'ratio', '99.99_%'],
  [1, 'ratio', '100_%'],
  [38, 'percent', '38_%'],
  [98, '%', '98_%'],
  // counts
  [0, 'requests', '0_req'],
  [46, '', '46'],
  [9999, '1', '9999'],
  [12_480, 'count', '12_480'],
  [1_250_000, '', '1.25_M'],
  [0.5, '', '0.500'],
  [2.1, 'times', '2.10×'],
  [3.5, 'cores', '3.50_cores'],
  [7, 'furlongs', '7_furlongs'],
];

describe('formatValue', () => {
  it.each(ROWS)('%s in %s is %s', (value, unit, expected) => {
    expect(seen(formatValue(value, unit))).toBe(expected);
  });

  it('signs differences, but never a zero', () => {
    expect(seen(formatValue(0.38, 'ratio', { signed: true }))).toBe('+38_%');
    expect(seen(formatValue(-0.38, 'ratio', { signed: true }))).toBe('−38_%');
    expect(seen(formatValue(0, 'ratio', { signed: true }))).toBe('0_%');
  });
});

describe('columns', () => {
  const column = (values: (number | null)[], unit: string) => {
    const scale = columnOf(values, unit);
    return { unit: columnUnit(scale), cells: values.map((v) => seen(formatValue(v, unit, { column: scale }))) };
  };

  it('share one scale, chosen by the median', () => {
    expect(column([4.21, 0.48, 0.92], 's')).toEqual({ unit: 'ms', cells: ['4210', '480', '920'] });
    expect(column([4.21, 1.48, 0.92], 's')).toEqual({ unit: 's', cells: ['4.21', '1.48', '0.92'] });
    expect(column([0.0241, 0.142, 0.0009], 's')).toEqual({ unit: 'ms', cells: ['24.1', '142.0', '0.9'] });
  });
  it('keep zero and absence apart', () => {
    expect(column([0, null, 0.002, 0.0002], 'ratio')).toEqual({ unit: '%', cells: ['0', '–', '0.2', '<_0.1'] });
  });
  it('write long durations and counts one by one', () => {
    expect(column([300, 7200], 's')).toEqual({ unit: '', cells: ['5_m', '2_h'] });
    expect(column([46, 0], '')).toEqual({ unit: '', cells: ['46', '0'] });
  });
  it('of nothing is still a column', () => {
    expect(column([], 's')).toEqual({ unit: 's', cells: [] });
  });
});

describe('formatTicks', () => {
  it('names the unit once, at the top', () => {
    expect(formatTicks([0, 2, 4], 's').map(seen)).toEqual(['0', '2', '4_s']);
    expect(formatTicks([0, 0.05, 0.1], 's').map(seen)).toEqual(['0', '50', '100_ms']);
    expect(formatTicks([0, 0.5, 1], 'ratio').map(seen)).toEqual(['0', '50', '100_%']);
    expect(formatTicks([0, 2.5, 5], '').map(seen)).toEqual(['0.0', '2.5', '5.0']);
    expect(formatTicks([0, 300, 600], 's').map(seen)).toEqual(['0', '5', '10_m']);
    expect(formatTicks([0, 5_000, 10_000], 'tokens/s').map(seen)).toEqual(['0', '5', '10_k tok/s']);
  });
});

it('formatDuration drops a second step of zero', () => {
  expect([5400, 3600, 60 * 60 * 24].map((s) => seen(formatDuration(s)))).toEqual(['1_h 30_m', '1_h', '1_d']);
});
