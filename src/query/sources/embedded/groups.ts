import { dropLabels, keepLabels, type LabelSet, labelKey, METRIC_NAME } from '../../../model/index.ts';
import type { Grouping } from '../contract.ts';

/** Numbers the groups that label sets fall into; `numbers[i]` is the group of `all[i]`. */
export function groupsOf(all: readonly LabelSet[], grouping: Grouping): { numbers: number[]; labels: LabelSet[] } {
  const names = new Set(grouping.kind === 'by' ? grouping.labels : [...grouping.labels, METRIC_NAME]);
  const known = new Map<string, number>();
  const labels: LabelSet[] = [];
  const numbers = all.map((one) => {
    const group = grouping.kind === 'by' ? keepLabels(one, names) : dropLabels(one, names);
    const key = labelKey(group);
    const number = known.get(key) ?? labels.length;
    if (number === labels.length) {
      known.set(key, number);
      labels.push(group);
    }
    return number;
  });
  return { numbers, labels };
}
