import { labelValue, METRIC_NAME } from '../../../model/index.ts';
import type { Span } from '../syntax/index.ts';
import type { Query } from './query.ts';
import { isEmpty, onlyNumbers, type Row } from './values.ts';

const COUNTER_NAME = /_(total|sum|count|bucket)$/;

/** Counters are named so that they can be told; anything else under rate() or increase() is worth a note. */
export function noteNonCounters(rows: readonly Row[], query: Query, at: Span): void {
  for (const row of rows) {
    const name = labelValue(row.labels, METRIC_NAME);
    if (name === '' || row.dropName || COUNTER_NAME.test(name) || isEmpty(onlyNumbers(row))) continue;
    query.annotations.info(
      `metric might not be a counter, name does not end in _total/_sum/_count/_bucket: ${JSON.stringify(name)}`,
      at,
    );
  }
}
