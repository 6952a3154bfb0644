import {
  type LabelSet,
  labelSet,
  labelValue,
  METRIC_NAME,
  type MetricType,
  UNKNOWN_CLUSTER,
} from '../../../model/index.ts';
import { isValidUtf8, type ProtoReader } from '../wire/index.ts';
import type { KnownSeries, WriteContentBuilder } from './content.ts';

// Field tags (number << 3 | wire type).
const VALUE = (1 << 3) | 1;
const TIMESTAMP = 2 << 3;
const START_TIMESTAMP = 3 << 3;

/** By number, in both versions. */
export const METADATA_TYPES: readonly MetricType[] = [
  'unknown', 'counter', 'gauge', 'histogram', 'histogram', 'summary', 'info', 'stateset',
]; // biome-ignore format: by number

/** Reads the Sample messages between `reader.pos` and `end`, fields with another tag left out. Absent fields are zero. */
export function readSamples(
  reader: ProtoReader,
  end: number,
  tag: number,
  series: number,
  into: WriteContentBuilder,
): void {
  const { samples } = into;
  while (reader.more(end)) {
    const next = reader.tag();
    if (next !== tag) {
      reader.skip(next);
      continue;
    }
    const index = samples.place(series, 0);
    for (const sampleEnd = reader.length(); reader.more(sampleEnd); ) {
      const field = reader.tag();
      if (field === VALUE) reader.doubleInto(samples.words, index);
      else if (field === TIMESTAMP) samples.setTime(index, reader.int64());
      else if (field === START_TIMESTAMP) {
        const startMs = reader.int64();
        if (startMs !== 0) into.startOfSample(index, startMs);
      } else reader.skip(field);
    }
  }
}

/** A series of labels as they were sent: sorted or not, and judged. */
export function knownSeries(pairs: readonly (readonly [string, string])[], fault: string): KnownSeries {
  let because = fault;
  const names = new Set<string>();
  for (const [name] of pairs) {
    if (name === '') because ||= 'a label has no name';
    if (names.has(name)) because ||= `label "${name}" comes twice`;
    names.add(name);
  }
  const labels: LabelSet = labelSet(pairs);
  if (labelValue(labels, METRIC_NAME) === '') because ||= 'it has no __name__ label';
  return { series: { labels, cluster: UNKNOWN_CLUSTER }, because, request: 0, ofSamples: -1, ofHistograms: -1 };
}

/** Text, and whether its bytes were UTF-8. */
export function readText(reader: ProtoReader): { text: string; valid: boolean } {
  const at = reader.pos;
  const text = reader.string();
  if (!text.includes('\ufffd')) return { text, valid: true };
  const after = reader.pos;
  reader.pos = at;
  const end = reader.length();
  const valid = isValidUtf8(reader.bytes, reader.pos, end);
  reader.pos = after;
  return { text, valid };
}
