import {
  formatLabels,
  type LabelSet,
  labelSet,
  labelValue,
  METRIC_NAME,
  type MetricMetadata,
  type MetricType,
  type SampleBatch,
  type Series,
  UNKNOWN_CLUSTER,
} from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { createSeriesCache, isValidUtf8, ProtoReader, SampleBuilder } from '../wire/index.ts';

export interface WriteRequest {
  samples: SampleBatch;
  metadata: MetricMetadata[];
  /** Samples whose labels are not a valid series; their neighbours are in. */
  invalid: { count: number; example: string };
  /** Native histograms, which are not kept. */
  histograms: { count: number; example: string };
}

/** A series as it is cached, with its index in the request that last held it. */
interface CachedSeries {
  series: Series;
  /** Why the labels are not valid, or empty. */
  because: string;
  request: number;
  index: number;
}

// Field tags (number << 3 | wire type) of prometheus.WriteRequest and what it holds.
const TIMESERIES = (1 << 3) | 2;
const METADATA = (3 << 3) | 2;
const LABELS = (1 << 3) | 2;
const SAMPLES = (2 << 3) | 2;
const HISTOGRAMS = (4 << 3) | 2;
const VALUE = (1 << 3) | 1;
const TIMESTAMP = 2 << 3;

/**
 * Decodes `prometheus.WriteRequest` (remote write 1.0). A series is looked up by the raw bytes of its labels, so one
 * that was seen before is neither decoded nor hashed label by label. Throws DecodeError when the bytes are not that message.
 */
export function createWriteDecoder(): (body: Buffer) => Promise<WriteRequest> {
  const cache = createSeriesCache<CachedSeries>();
  let requests = 0;

  return async (body) => {
    const request = ++requests;
    const reader = new ProtoReader(body);
    const samples = new SampleBuilder(Math.max(64, body.length >>> 6));
    const metadata: MetricMetadata[] = [];
    const invalid = { count: 0, example: '' };
    const histograms = { count: 0, example: '' };
    const turns = createTurns();

    for (let n = 1; reader.more(body.length); n++) {
      if (n % 512 === 0 && turns.over()) await turns.next();
      const tag = reader.tag();
      if (tag === TIMESERIES) {
        const end = reader.length();
        const outline = outlineOf(reader, end);
        const entry = seriesOf(reader, outline, cache);
        if (outline.histograms > 0) {
          histograms.count += outline.histograms;
          histograms.example ||= `native histograms are not kept: ${seriesText(entry.series.labels)}`;
        }
        if (entry.because !== '') {
          invalid.count += outline.samples;
          invalid.example ||= `series ${seriesText(entry.series.labels)} (byte ${outline.start}): ${entry.because}`;
        } else if (outline.samples > 0) {
          if (entry.request !== request) {
            entry.request = request;
            entry.index = samples.addSeries(entry.series);
          }
          reader.pos = outline.firstSample;
          readSamples(reader, end, entry.index, samples);
        }
        reader.pos = end;
      } else if (tag === METADATA) metadata.push(readMetadata(reader));
      else reader.skip(tag);
    }
    return { samples: samples.finish(), metadata, invalid, histograms };
  };
}

interface Outline {
  start: number;
  end: number;
  labelsStart: number;
  labelsEnd: number;
  /** Other fields lie between the labels. */
  scattered: boolean;
  firstSample: number;
  samples: number;
  histograms: number;
}

/** Passes over a TimeSeries and notes where its parts lie. */
function outlineOf(reader: ProtoReader, end: number): Outline {
  const start = reader.pos;
  let labelsStart = start;
  let labelsEnd = start;
  let scattered = false;
  let firstSample = end;
  let samples = 0;
  let histograms = 0;
  while (reader.more(end)) {
    const at = reader.pos;
    const tag = reader.tag();
    if (tag === LABELS) {
      reader.pos = reader.length();
      if (labelsEnd === labelsStart) labelsStart = at;
      else if (at !== labelsEnd) scattered = true;
      labelsEnd = reader.pos;
    } else if (tag === SAMPLES) {
      if (samples === 0) firstSample = at;
      samples++;
      reader.pos = reader.length();
    } else {
      if (tag === HISTOGRAMS) histograms++;
      reader.skip(tag);
    }
  }
  return { start, end, labelsStart, labelsEnd, scattered, firstSample, samples, histograms };
}

function seriesOf(
  reader: ProtoReader,
  outline: Outline,
  cache: { get(key: string): CachedSeries | undefined; set(key: string, entry: CachedSeries): void },
): CachedSeries {
  if (outline.scattered) return decodeSeries(reader, outline.start, outline.end);
  // One character per byte: equal exactly when the bytes are.
  const key = reader.bytes.toString('latin1', outline.labelsStart, outline.labelsEnd);
  let entry = cache.get(key);
  if (entry === undefined) {
    entry = decodeSeries(reader, outline.labelsStart, outline.labelsEnd);
    cache.set(key, entry);
  }
  return entry;
}

function decodeSeries(reader: ProtoReader, start: number, end: number): CachedSeries {
  const pairs: [string, string][] = [];
  let because = '';
  reader.pos = start;
  while (reader.more(end)) {
    const tag = reader.tag();
    if (tag !== LABELS) {
      reader.skip(tag);
      continue;
    }
    let name = '';
    let value = '';
    for (const labelEnd = reader.length(); reader.more(labelEnd); ) {
      const field = reader.tag();
      if (field !== LABELS && field !== SAMPLES) {
        reader.skip(field);
        continue;
      }
      // A label's name and value are its fields 1 and 2, as labels and samples are those of a series.
      const at = reader.pos;
      const text = reader.string();
      if (text.includes('\ufffd') && !isUtf8At(reader, at)) because = 'a label is not valid UTF-8';
      if (field === LABELS) name = text;
      else value = text;
    }
    if (name === '') because = 'a label has no name';
    if (pairs.some(([known]) => known === name)) because = `label "${name}" comes twice`;
    pairs.push([name, value]);
  }
  const labels = labelSet(pairs);
  if (because === '' && labelValue(labels, METRIC_NAME) === '') because = 'it has no __name__ label';
  return { series: { labels, cluster: UNKNOWN_CLUSTER }, because, request: 0, index: 0 };
}

function isUtf8At(reader: ProtoReader, at: number): boolean {
  const after = reader.pos;
  reader.pos = at;
  const end = reader.length();
  const valid = isValidUtf8(reader.bytes, reader.pos, end);
  reader.pos = after;
  return valid;
}

function readSamples(reader: ProtoReader, end: number, series: number, into: SampleBuilder): void {
  while (reader.more(end)) {
    const tag = reader.tag();
    if (tag !== SAMPLES) {
      reader.skip(tag);
      continue;
    }
    // Absent fields are zero: time 0, value 0.
    const index = into.place(series, 0);
    for (const sampleEnd = reader.length(); reader.more(sampleEnd); ) {
      const field = reader.tag();
      if (field === VALUE) reader.doubleInto(into.words, index);
      else if (field === TIMESTAMP) into.setTime(index, reader.int64());
      else reader.skip(field);
    }
  }
}

const METADATA_TYPES: readonly MetricType[] = [
  'unknown', 'counter', 'gauge', 'histogram', 'histogram', 'summary', 'info', 'stateset',
]; // biome-ignore format: by number

function readMetadata(reader: ProtoReader): MetricMetadata {
  const metadata: MetricMetadata = { family: '', type: 'unknown', help: '', unit: '' };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === 1 << 3) metadata.type = METADATA_TYPES[reader.uint32()] ?? 'unknown';
    else if (tag === ((2 << 3) | 2)) metadata.family = reader.string();
    else if (tag === ((4 << 3) | 2)) metadata.help = reader.string();
    else if (tag === ((5 << 3) | 2)) metadata.unit = reader.string();
    else reader.skip(tag);
  }
  return metadata;
}

function seriesText(labels: LabelSet): string {
  return formatLabels(labels).slice(0, 300);
}
