import { formatLabels, type LabelSet, labelValue, METRIC_NAME, type Series } from '../../model/index.ts';
import type { CardinalityRefusal } from './cardinality-refusal.ts';
import type { CardinalityLimits } from './limits.ts';

/** Whether a series has too many labels or too long ones, whoever has room for it. */
export function judgeLabels({ labels, cluster }: Series, limits: CardinalityLimits): CardinalityRefusal | undefined {
  const refuse = (label: string, words: string): CardinalityRefusal => ({
    reason: 'limit_labels',
    metric: cut(labelValue(labels, METRIC_NAME), 200),
    cluster: cut(cluster),
    label: cut(label),
    because: () => `${shortLabels(labels)}${words}`,
  });
  if (labels.length / 2 > limits.labels) {
    return refuse('', ` has ${labels.length / 2} labels, more than ${limits.labels} (limits.labels)`);
  }
  for (let i = 0; i < labels.length; i += 2) {
    const name = labels[i] ?? '';
    if (name.length > limits.labelName) {
      return refuse(
        name,
        `: the name of label ${cut(name)} has ${name.length} characters, more than ${limits.labelName} (limits.labelName)`,
      );
    }
    const length = labels[i + 1]?.length ?? 0;
    if (length > limits.labelValue) {
      return refuse(
        name,
        `: the value of label ${cut(name)} has ${length} characters, more than ${limits.labelValue} (limits.labelValue)`,
      );
    }
  }
  return undefined;
}

/** For a sentence. */
export function shortLabels(labels: LabelSet): string {
  return cut(formatLabels(labels.slice(0, 40)), 200);
}

function cut(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
