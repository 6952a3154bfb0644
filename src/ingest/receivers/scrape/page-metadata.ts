import type { MetricMetadata } from '../../../model/index.ts';
import type { PageReader } from './exposition.ts';

/** Adds what the reader found about a family to what the page said of it before. */
export function noteMetadata(
  metadata: Map<string, MetricMetadata>,
  reader: PageReader,
  entry: 'type' | 'help' | 'unit',
): void {
  const { family, text, type } = reader;
  const known = metadata.get(family) ?? { family, type: 'unknown', help: '', unit: '' };
  metadata.set(family, { ...known, [entry]: entry === 'type' ? type : text });
}
