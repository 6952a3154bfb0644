import { dropLabels, emptyLabels, keepLabels, type LabelSet, labelKey, METRIC_NAME } from '../../../model/index.ts';
import type { Aggregation } from '../syntax/index.ts';
import type { Row } from './values.ts';

export interface Group {
  labels: LabelSet;
  /** The name in `labels`, if any, is to be dropped when it is that of any member. */
  dropName: boolean;
  rows: Row[];
}

/** The rows by their grouping labels, groups in order of first appearance. `without` always drops the name. */
export function groupRows(rows: Row[], grouping: Aggregation['grouping']): Group[] {
  const labelsOf = groupingLabels(grouping);
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const labels = labelsOf(row.labels);
    const key = labelKey(labels);
    const group = groups.get(key);
    if (group) {
      group.rows.push(row);
      group.dropName ||= row.dropName;
    } else groups.set(key, { labels, dropName: row.dropName, rows: [row] });
  }
  return [...groups.values()];
}

export function groupingLabels(grouping: Aggregation['grouping']): (labels: LabelSet) => LabelSet {
  if (grouping.kind === 'without') {
    const dropped = new Set([...grouping.labels, METRIC_NAME]);
    return (labels) => dropLabels(labels, dropped);
  }
  if (grouping.labels.length === 0) return () => emptyLabels;
  const kept = new Set(grouping.labels);
  return (labels) => keepLabels(labels, kept);
}
