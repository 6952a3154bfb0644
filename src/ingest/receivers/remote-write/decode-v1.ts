import { type LabelSet, labelSet, type MetricMetadata } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { type BytesCache, createBytesCache, ProtoReader } from '../wire/index.ts';
import { type KnownSeries, seriesText, type WriteContent, WriteContentBuilder } from './content.ts';
import { readHistogram } from './histogram.ts';
import { knownSeries, METADATA_TYPES, readSamples, readText } from './read-parts.ts';

// Field tags (number << 3 | wire type) of prometheus.WriteRequest and what it holds.
const TIMESERIES = (1 << 3) | 2;
const METADATA = (3 << 3) | 2;
const LABELS = (1 << 3) | 2;
const SAMPLES = (2 << 3) | 2;
const EXEMPLARS = (3 << 3) | 2;
const HISTOGRAMS = (4 << 3) | 2;

/**
 * Decodes `prometheus.WriteRequest` (remote write 1.0). A series is looked up by the raw bytes of its labels, so one
 * that was seen before is neither decoded nor hashed label by label. Throws DecodeError when the bytes are not that message.
 */
export function createDecoderV1(): (body: Buffer) => Promise<WriteContent> {
  const cache = createBytesCache<KnownSeries>();
  let requests = 0;

  return async (body) => {
    const reader = new ProtoReader(body);
    const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
    const content = new WriteContentBuilder(++requests, Math.max(64, body.length >>> 6));
    const turns = createTurns();
    for (let n = 1; reader.more(body.length); n++) {
      if (n % 512 === 0 && turns.over()) await turns.next();
      const tag = reader.tag();
      if (tag === TIMESERIES) {
        const end = reader.length();
        const outline = outlineOf(reader, end);
        readParts(reader, outline, seriesOf(reader, view, outline, cache), content);
        reader.pos = end;
      } else if (tag === METADATA) content.metadata.push(readMetadata(reader));
      else reader.skip(tag);
    }
    return content.finish();
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
  exemplars: number;
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
  let exemplars = 0;
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
      else if (tag === EXEMPLARS) exemplars++;
      reader.skip(tag);
    }
  }
  return { start, end, labelsStart, labelsEnd, scattered, firstSample, samples, histograms, exemplars };
}

function readParts(reader: ProtoReader, outline: Outline, known: KnownSeries, into: WriteContentBuilder): void {
  const { samples, histograms, exemplars, end } = outline;
  if (known.because !== '') {
    const example = () => `invalid labels (byte ${outline.start}): ${known.because}: ${seriesText(known.series)}`;
    if (samples > 0) into.refuse('samples', 'labels', samples, example);
    if (histograms > 0) into.refuse('histograms', 'labels', histograms, example);
    if (exemplars > 0) into.refuse('exemplars', 'labels', exemplars, example);
    return;
  }
  if (samples > 0) {
    reader.pos = outline.firstSample;
    readSamples(reader, end, SAMPLES, into.placeForSamples(known), into);
  }
  if (histograms + exemplars === 0) return;
  reader.pos = outline.start;
  while (reader.more(end)) {
    const tag = reader.tag();
    if (tag === HISTOGRAMS) into.addHistogram(known, readHistogram(reader));
    else if (tag === EXEMPLARS) into.exemplars.push({ series: known.series, ...readExemplar(reader) });
    else reader.skip(tag);
  }
}

function seriesOf(
  reader: ProtoReader,
  view: DataView,
  { scattered, start, end, labelsStart, labelsEnd }: Outline,
  cache: BytesCache<KnownSeries>,
): KnownSeries {
  if (scattered) return decodeSeries(reader, start, end);
  return cache.of(view, labelsStart, labelsEnd, () => decodeSeries(reader, labelsStart, labelsEnd));
}

function decodeSeries(reader: ProtoReader, start: number, end: number): KnownSeries {
  const pairs: (readonly [string, string])[] = [];
  let fault = '';
  reader.pos = start;
  while (reader.more(end)) {
    const tag = reader.tag();
    if (tag !== LABELS) {
      reader.skip(tag);
      continue;
    }
    const label = readLabel(reader);
    if (!label.valid) fault = 'a label is not valid UTF-8';
    pairs.push([label.name, label.value]);
  }
  return knownSeries(pairs, fault);
}

function readLabel(reader: ProtoReader): { name: string; value: string; valid: boolean } {
  const label = { name: '', value: '', valid: true };
  for (const end = reader.length(); reader.more(end); ) {
    const field = reader.tag();
    if (field !== ((1 << 3) | 2) && field !== ((2 << 3) | 2)) {
      reader.skip(field);
      continue;
    }
    const { text, valid } = readText(reader);
    if (!valid) label.valid = false;
    if (field === ((1 << 3) | 2)) label.name = text;
    else label.value = text;
  }
  return label;
}

function readExemplar(reader: ProtoReader): { timeMs: number; value: number; labels: LabelSet } {
  const pairs: [string, string][] = [];
  let value = 0;
  let timeMs = 0;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === LABELS) {
      const label = readLabel(reader);
      pairs.push([label.name, label.value]);
    } else if (tag === ((2 << 3) | 1)) value = reader.double();
    else if (tag === 3 << 3) timeMs = reader.int64();
    else reader.skip(tag);
  }
  return { timeMs, value, labels: labelSet(pairs) };
}

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
