import {
  type LabelSet,
  labelSet,
  labelValue,
  METRIC_NAME,
  type MetricMetadata,
  type MetricType,
} from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { createSeriesCache, ProtoReader, type SeriesCache } from '../wire/index.ts';
import { type KnownSeries, seriesText, type WriteContent, WriteContentBuilder } from './content.ts';
import { type ReadHistogram, readHistogram } from './histogram.ts';
import { knownSeries, METADATA_TYPES, readSamples, readText } from './read-parts.ts';

// Field tags (number << 3 | wire type) of io.prometheus.write.v2.Request and what it holds.
const SYMBOLS = (4 << 3) | 2;
const TIMESERIES = (5 << 3) | 2;
const LABELS_REFS = 1;
const SAMPLES = (2 << 3) | 2;
const HISTOGRAMS = (3 << 3) | 2;
const EXEMPLARS = (4 << 3) | 2;
const METADATA = (5 << 3) | 2;
/** Of release candidates up to 2.0-rc.3; since then it is a field of each sample and histogram. */
const CREATED_TIMESTAMP = 6 << 3;

const MAX_ID = 2 ** 31;
/** Series with more labels than any limit lets in are not worth remembering. */
const MAX_KEPT_REFS = 2000;

interface Symbols {
  texts: string[];
  /** Of each text, the same in every request as long as the text is remembered; never used for another. */
  ids: number[];
  /** Numbers of those whose bytes are not UTF-8. */
  broken: Set<number>;
}

/**
 * Decodes `io.prometheus.write.v2.Request` (remote write 2.0). What is wrong with one series is noted and leaves its
 * neighbours in; throws DecodeError when the bytes are not that message or its symbols do not begin with the empty text.
 */
export function createDecoderV2(): (body: Buffer) => Promise<WriteContent> {
  const cache = createSeriesCache<KnownSeries>();
  const textIds = createSeriesCache<number>();
  let lastId = 0;
  const idOf = (text: string) => {
    const known = textIds.get(text);
    if (known !== undefined) return known;
    textIds.set(text, ++lastId);
    return lastId;
  };
  let requests = 0;

  return async (body) => {
    // Ids have 32 bits; long before they end, everything is forgotten at once.
    if (lastId > MAX_ID) {
      lastId = 0;
      textIds.clear();
      cache.clear();
    }
    const turns = createTurns();
    const reader = new ProtoReader(body);
    const symbols: Symbols = { texts: [], ids: [], broken: new Set() };
    // Symbols may come behind the series that name them, so they are read first.
    for (let n = 1; reader.more(body.length); n++) {
      if (n % 512 === 0 && turns.over()) await turns.next();
      const tag = reader.tag();
      if (tag !== SYMBOLS) {
        reader.skip(tag);
        continue;
      }
      const { text, valid } = readText(reader);
      if (!valid) symbols.broken.add(symbols.texts.length);
      symbols.texts.push(text);
      symbols.ids.push(idOf(text));
    }
    const first = symbols.texts[0];
    if (first !== undefined && first !== '') reader.fail('symbols must begin with an empty string', 0);

    const content = new WriteContentBuilder(++requests, Math.max(64, body.length >>> 5));
    const families = new Map<string, MetricMetadata>();
    reader.pos = 0;
    for (let n = 1; reader.more(body.length); n++) {
      if (n % 256 === 0 && turns.over()) await turns.next();
      const tag = reader.tag();
      if (tag !== TIMESERIES) {
        reader.skip(tag);
        continue;
      }
      const end = reader.length();
      readSeries(reader, end, { symbols, cache, content, families });
      reader.pos = end;
    }
    content.metadata.push(...families.values());
    return content.finish();
  };
}

interface Request {
  symbols: Symbols;
  cache: SeriesCache<KnownSeries>;
  content: WriteContentBuilder;
  families: Map<string, MetricMetadata>;
}

/** What a TimeSeries message holds beside its labels. */
interface Outline {
  start: number;
  end: number;
  refs: number[];
  samples: number;
  histograms: number;
  exemplars: number;
  /** Zero: not set. */
  createdMs: number;
  metadata: Metadata | undefined;
}

function outlineOf(reader: ProtoReader, end: number): Outline {
  const outline: Outline = {
    start: reader.pos,
    end,
    refs: [],
    samples: 0,
    histograms: 0,
    exemplars: 0,
    createdMs: 0,
    metadata: undefined,
  };
  while (reader.more(end)) {
    const tag = reader.tag();
    if (tag >>> 3 === LABELS_REFS) readRefs(reader, tag, outline.refs);
    else if (tag === METADATA) outline.metadata = readMetadata(reader);
    else if (tag === CREATED_TIMESTAMP) outline.createdMs = reader.int64();
    else {
      if (tag === SAMPLES) outline.samples++;
      else if (tag === HISTOGRAMS) outline.histograms++;
      else if (tag === EXEMPLARS) outline.exemplars++;
      reader.skip(tag);
    }
  }
  return outline;
}

/** Why a series is refused whole, if it is. */
function faultOf({ samples, histograms }: Outline, known: KnownSeries): string | undefined {
  if (known.because !== '') return `invalid metric name or labels: ${known.because}`;
  if (samples > 0 && histograms > 0) return 'TimeSeries must not contain both samples and histograms';
  return samples + histograms === 0 ? 'TimeSeries must contain at least one sample or histogram' : undefined;
}

function readSeries(reader: ProtoReader, end: number, request: Request): void {
  const outline = outlineOf(reader, end);
  const known = seriesOf(outline.refs, request);
  const fault = faultOf(outline, known);
  if (fault !== undefined) {
    refuseSeries(outline, known, fault, request.content);
    return;
  }
  const lastTimeMs = outline.samples > 0 ? readFloats(reader, outline, known, request.content) : 0;
  readRest(reader, outline, known, lastTimeMs, request);
  if (outline.metadata !== undefined) noteMetadata(outline.metadata, known, request.symbols, request.families);
}

function refuseSeries(outline: Outline, known: KnownSeries, because: string, content: WriteContentBuilder): void {
  const fault = known.because !== '' ? 'labels' : 'content';
  const example = () => `${because} for series ${seriesText(known.series)} (byte ${outline.start})`;
  const { samples, histograms, exemplars } = outline;
  if (histograms > 0) content.refuse('histograms', fault, histograms, example);
  if (exemplars > 0) content.refuse('exemplars', fault, exemplars, example);
  // A series without anything counts as one, or nobody would see what is wrong with its sender.
  if (samples > 0 || histograms === 0) content.refuse('samples', fault, Math.max(1, samples), example);
}

/** Reads the samples and returns the time of the last. */
function readFloats(reader: ProtoReader, outline: Outline, known: KnownSeries, content: WriteContentBuilder): number {
  const before = content.samples.length;
  reader.pos = outline.start;
  readSamples(reader, outline.end, SAMPLES, content.placeForSamples(known), content);
  if (outline.createdMs !== 0) {
    for (let i = before; i < content.samples.length; i++) content.startOfSample(i, outline.createdMs);
  }
  return content.samples.timeAt(content.samples.length - 1);
}

/** Histograms first, since exemplars without a time take that of the last sample. */
function readRest(reader: ProtoReader, outline: Outline, known: KnownSeries, timeMs: number, request: Request): void {
  const { start, end, histograms, exemplars, createdMs } = outline;
  let lastTimeMs = timeMs;
  if (histograms > 0) {
    reader.pos = start;
    eachOf(reader, end, HISTOGRAMS, () => {
      const histogram = withStart(readHistogram(reader), createdMs);
      lastTimeMs = histogram.timeMs;
      request.content.addHistogram(known, histogram);
    });
  }
  if (exemplars > 0) {
    reader.pos = start;
    eachOf(reader, end, EXEMPLARS, () => readExemplar(reader, known, lastTimeMs, request));
  }
}

function eachOf(reader: ProtoReader, end: number, tag: number, read: () => void): void {
  while (reader.more(end)) {
    const next = reader.tag();
    if (next === tag) read();
    else reader.skip(next);
  }
}

function withStart(histogram: ReadHistogram, createdMs: number): ReadHistogram {
  return createdMs !== 0 && Number.isNaN(histogram.startMs) ? { ...histogram, startMs: createdMs } : histogram;
}

/** A repeated number, packed or one by one. */
function readRefs(reader: ProtoReader, tag: number, into: number[]): void {
  if ((tag & 7) === 0) into.push(reader.uint32());
  else if ((tag & 7) === 2) for (const end = reader.length(); reader.more(end); ) into.push(reader.uint32());
  else reader.skip(tag);
}

function seriesOf(refs: readonly number[], { symbols, cache }: Request): KnownSeries {
  const key = keyOf(refs, symbols);
  const cached = key === undefined ? undefined : cache.get(key);
  if (cached !== undefined) return cached;
  const pairs = pairsOf(refs, symbols);
  if (typeof pairs === 'string') return knownSeries([], pairs);
  const known = knownSeries(pairs, '');
  if (key !== undefined) cache.set(key, known);
  return known;
}

/** Equal only when the labels are; undefined when something is wrong with them. Two characters for each text's id. */
function keyOf(refs: readonly number[], { ids, broken }: Symbols): string | undefined {
  if (refs.length % 2 !== 0 || refs.length > MAX_KEPT_REFS || broken.size > 0) return undefined;
  const units: number[] = [];
  for (const ref of refs) {
    const id = ids[ref];
    if (id === undefined) return undefined;
    units.push(id & 0xffff, id >>> 16);
  }
  return String.fromCharCode(...units);
}

/** The labels that references name, or why they name none. */
function pairsOf(refs: readonly number[], { texts, broken }: Symbols): (readonly [string, string])[] | string {
  if (refs.length % 2 !== 0) return `invalid labelRefs length ${refs.length}`;
  const pairs: (readonly [string, string])[] = [];
  for (let i = 0; i < refs.length; i += 2) {
    const [of = 0, to = 0] = [refs[i], refs[i + 1]];
    const name = texts[of];
    const value = texts[to];
    if (name === undefined || value === undefined) {
      return `labelRefs ${i} (name) = ${of} or (value) = ${to} outside of symbols table (size ${texts.length})`;
    }
    if (broken.has(of) || broken.has(to)) return 'a label is not valid UTF-8';
    pairs.push([name, value]);
  }
  return pairs;
}

function readExemplar(
  reader: ProtoReader,
  known: KnownSeries,
  sampleTimeMs: number,
  { symbols, content }: Request,
): void {
  const refs: number[] = [];
  let value = 0;
  let timeMs = 0;
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag >>> 3 === LABELS_REFS) readRefs(reader, tag, refs);
    else if (tag === ((2 << 3) | 1)) value = reader.double();
    else if (tag === 3 << 3) timeMs = reader.int64();
    else reader.skip(tag);
  }
  const pairs = pairsOf(refs, symbols);
  if (typeof pairs === 'string') {
    content.refuse('exemplars', 'labels', 1, () => `exemplar: ${pairs} for series ${seriesText(known.series)}`);
    return;
  }
  const labels: LabelSet = labelSet(pairs);
  content.exemplars.push({ series: known.series, timeMs: timeMs === 0 ? sampleTimeMs : timeMs, value, labels });
}

interface Metadata {
  type: MetricType;
  help: number;
  unit: number;
}

function readMetadata(reader: ProtoReader): Metadata {
  const metadata: Metadata = { type: 'unknown', help: 0, unit: 0 };
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    if (tag === 1 << 3) metadata.type = METADATA_TYPES[reader.uint32()] ?? 'unknown';
    else if (tag === 3 << 3) metadata.help = reader.uint32();
    else if (tag === 4 << 3) metadata.unit = reader.uint32();
    else reader.skip(tag);
  }
  return metadata;
}

/** Metadata comes with every series of a family; it is kept once. A reference to nothing is an empty text. */
function noteMetadata(
  { type, help, unit }: Metadata,
  { series }: KnownSeries,
  { texts }: Symbols,
  families: Map<string, MetricMetadata>,
): void {
  if (type === 'unknown' && help === 0 && unit === 0) return;
  const family = familyOf(labelValue(series.labels, METRIC_NAME), type);
  if (families.has(family)) return;
  families.set(family, { family, type, help: texts[help] ?? '', unit: texts[unit] ?? '' });
}

/** The family of a series' name: histograms and summaries name theirs with a suffix. */
function familyOf(name: string, type: MetricType): string {
  if (type === 'histogram') return name.replace(/_(?:bucket|sum|count)$/, '');
  return type === 'summary' ? name.replace(/_(?:sum|count)$/, '') : name;
}
