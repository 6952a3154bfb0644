import { labelKey, labelValue, METRIC_NAME, type NativeHistogram } from '../../../model/index.ts';
import { fractionOfHistogram, quantileOfHistogram } from '../histograms/index.ts';
import type { Span } from '../syntax/index.ts';
import type { Query } from './query.ts';
import { emptyRow, isEmpty, onlyNumbers, type Row } from './values.ts';

/** Functions of native histograms; numbers are left out. */

/** One number from each native histogram. */
export function eachHistogram(rows: Row[], of: (histogram: NativeHistogram, step: number, row: Row) => number): Row[] {
  return rows.flatMap((row) => {
    const { histograms } = row;
    if (histograms === undefined) return [];
    const result = emptyRow(row.labels, row.dropName, row.values.length);
    for (const [step, histogram] of histograms.entries()) {
      if (histogram === undefined || !row.present[step]) continue;
      result.values[step] = of(histogram, step, row);
      result.present[step] = 1;
    }
    return isEmpty(result) ? [] : [result];
  });
}

export function nativeQuantiles(rows: Row[], quantiles: Float64Array, query: Query, at: Span): Row[] {
  return eachHistogram(rows, (histogram, step, row) => {
    const { value, sawNaN } = quantileOfHistogram(quantiles[step] ?? Number.NaN, histogram);
    if (sawNaN) {
      const effect = Number.isNaN(value) ? 'result is NaN' : 'result is skewed higher';
      query.annotations.info(`input to histogram_quantile has NaN observations, ${effect}${ofMetric(row)}`, at);
    }
    return value;
  });
}

export function nativeFractions(
  rows: Row[],
  bounds: { lower: Float64Array; upper: Float64Array },
  query: Query,
  at: Span,
): Row[] {
  return eachHistogram(rows, (histogram, step, row) => {
    const { value, sawNaN } = fractionOfHistogram(bounds.lower[step] ?? 0, bounds.upper[step] ?? 0, histogram);
    if (sawNaN) {
      const text = 'input to histogram_fraction has NaN observations, which are excluded from all fractions';
      query.annotations.info(text + ofMetric(row), at);
    }
    return value;
  });
}

function ofMetric(row: Row): string {
  const name = labelValue(row.labels, METRIC_NAME);
  return name === '' ? '' : ` for metric name ${JSON.stringify(name)}`;
}

/** Rows of numbers; those that are native histograms at all points go. */
export function rowsOfNumbers(rows: Row[]): Row[] {
  return rows.flatMap((row) => {
    if (row.histograms === undefined) return [row];
    const numbers = onlyNumbers(row);
    return isEmpty(numbers) ? [] : [numbers];
  });
}

/** Results for classic and native histograms together. Where both speak for the same labels, neither counts. */
export function classicAndNative(classic: Row[], native: Row[], query: Query, at: Span): Row[] {
  if (native.length === 0) return classic;
  const byKey = new Map(classic.map((row) => [labelKey(row.labels), row]));
  for (const row of native) {
    const other = byKey.get(labelKey(row.labels));
    for (let step = 0; other !== undefined && step < row.present.length; step++) {
      if (!row.present[step] || !other.present[step]) continue;
      row.present[step] = 0;
      other.present[step] = 0;
      query.annotations.warn(`vector contains a mix of classic and native histograms${ofMetric(row)}`, at);
    }
  }
  return [...classic, ...native].filter((row) => !isEmpty(row));
}
