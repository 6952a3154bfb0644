import { type LabelSet, METRIC_NAME } from '../../../model/index.ts';
import type { VectorMatching } from '../syntax/index.ts';

/** A function from label sets to strings that are equal when the sets match. */
export function signatureOf(matching: Pick<VectorMatching, 'kind' | 'labels'>): (labels: LabelSet) => string {
  const names = new Set(matching.labels);
  const counts =
    matching.kind === 'on'
      ? (name: string) => names.has(name)
      : (name: string) => name !== METRIC_NAME && !names.has(name);
  return (labels) => {
    let signature = '';
    for (let i = 0; i < labels.length; i += 2) {
      if (counts(labels[i] ?? '')) signature += `${labels[i]}\u0000${labels[i + 1]}\u0000`;
    }
    return signature;
  };
}

/** The labels that take part in a match. */
export function matchLabels(labels: LabelSet, matching: Pick<VectorMatching, 'kind' | 'labels'>): LabelSet {
  const names = new Set(matching.labels);
  const kept: string[] = [];
  for (let i = 0; i < labels.length; i += 2) {
    const name = labels[i] ?? '';
    const counts = matching.kind === 'on' ? names.has(name) : name !== METRIC_NAME && !names.has(name);
    if (counts) kept.push(name, labels[i + 1] ?? '');
  }
  return kept;
}
