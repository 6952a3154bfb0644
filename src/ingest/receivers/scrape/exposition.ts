import { isUtf8 } from 'node:buffer';
import type { MetricType } from '../../../model/index.ts';
import { DecodeError } from '../wire/index.ts';
import { normalNumber, parseValue } from './number.ts';

export type PageFormat = 'text' | 'openmetrics';

/** The page cannot be understood; the message names the line and shows it. */
export class PageError extends DecodeError {
  override name = 'PageError';
}

/** Of histograms and summaries, whose `le` and `quantile` are numbers, and of all others. */
export type SeriesMark = 'h' | 's' | '-';

export type EntryKind = 'series' | 'type' | 'help' | 'unit' | 'end';

/**
 * Reads a page of metrics, Prometheus text format 0.0.4 and 1.0.0 or OpenMetrics 1.0, entry by entry. After `next()`
 * returned `series`, the sample is in `key`, `value` and `timeMs`; labels are decoded only when asked for, since a
 * scraper knows nearly all series by their text already. Accepts and refuses what Prometheus 3 does.
 */
export class PageReader {
  /** Where name and labels of the current series stand on the page, and the type where it changes their meaning. */
  seriesStart = 0;
  seriesEnd = 0;
  mark: SeriesMark = '-';
  /** The current series is the one of the line with a sample before, byte for byte. */
  repeats = false;
  value = 0;
  timeMs: number | undefined;
  /** Of `type`, `help` and `unit` entries: the family and the text after it. */
  family = '';
  text = '';
  type: MetricType = 'unknown';
  /** Nothing is left; of a part of a page, whose lack of "# EOF" is no mistake. */
  exhausted = false;

  private readonly bytes: Buffer;
  private readonly view: DataView;
  private readonly openMetrics: boolean;
  private pos = 0;
  private lineStart = 0;
  private lineEnd = -1;
  private lineNumber = 0;
  private ended = false;

  constructor(bytes: Buffer, format: PageFormat) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.openMetrics = format === 'openmetrics';
  }

  /** Moves to the next entry. Throws PageError. */
  next(): EntryKind {
    for (;;) {
      if (!this.nextLine()) {
        if (this.openMetrics && !this.ended) this.fail('the page does not end with "# EOF"');
        return 'end';
      }
      if (this.ended) this.fail('there is data after "# EOF"');
      const first = this.bytes[this.pos];
      if (first === HASH) {
        const kind = this.comment();
        if (kind !== undefined) return kind;
      } else if (this.pos === this.lineEnd) {
        if (this.openMetrics) this.fail('an empty line');
      } else {
        this.sample();
        return 'series';
      }
    }
  }

  /** Name and labels of the current series as they stand on the page, one character per byte, after the mark. */
  get key(): string {
    return this.mark + this.bytes.toString('latin1', this.seriesStart, this.seriesEnd);
  }

  /** Name and labels of the current series as pairs, the name as `__name__`, in the page's order. */
  labels(): [string, string][] {
    const pairs: [string, string][] = [];
    let pos = this.seriesStart;
    if (this.bytes[pos] !== BRACE) {
      const end = this.nameEnd(pos, true);
      pairs.push(['__name__', this.bytes.toString('latin1', pos, end)]);
      pos = this.skipSpace(end);
    }
    if (pos < this.seriesEnd && this.bytes[pos] === BRACE) this.readLabels(pos, pairs);
    if (!pairs.some(([name]) => name === '__name__')) this.fail('the metric has no name', this.seriesStart);
    return pairs;
  }

  /** Reads `{a="b",…}` into `pairs`. A quoted text alone is the metric's name. */
  private readLabels(brace: number, pairs: [string, string][]): void {
    const { bytes } = this;
    let pos = this.skipBlank(brace + 1);
    while (bytes[pos] !== CLOSING) {
      const start = pos;
      const isQuoted = bytes[pos] === QUOTE;
      let end = isQuoted ? this.quoteEnd(pos) : this.nameEnd(pos, false);
      if (end === pos) this.fail('expected a label name', pos);
      let name = isQuoted ? this.unquote(pos, end) : bytes.toString('latin1', pos, end);
      let value: string;
      pos = this.skipBlank(end);
      if (isQuoted && (bytes[pos] === COMMA || bytes[pos] === CLOSING)) {
        value = name;
        name = '__name__';
      } else {
        if (bytes[pos] !== EQUALS) this.fail('expected "=" after a label name', pos);
        pos = this.skipBlank(pos + 1);
        if (bytes[pos] !== QUOTE) this.fail('expected a label value in quotes', pos);
        end = this.quoteEnd(pos);
        value = this.normalise(name, this.unquote(pos, end));
        pos = this.skipBlank(end);
      }
      if (name === '' || (name === '__name__' && value === '')) this.fail('an empty name', start);
      if (pairs.some(([known]) => known === name)) this.fail(`label "${name}" comes twice`, start);
      pairs.push([name, value]);
      if (bytes[pos] === COMMA) {
        pos = this.skipBlank(pos + 1);
        if (this.openMetrics && bytes[pos] === CLOSING) this.fail('a comma without a label after it', pos);
      } else if (bytes[pos] !== CLOSING) this.fail('expected "," or "}" after a label', pos);
    }
  }

  private fail(what: string, at = -1): never {
    const end = this.lineEnd < 0 ? this.bytes.length : this.lineEnd;
    const line = this.bytes.toString('utf8', this.lineStart, Math.min(end, this.lineStart + 200));
    const column = at < 0 ? '' : `, character ${at - this.lineStart + 1}`;
    throw new PageError(`line ${this.lineNumber}${column}: ${what}: ${line}`);
  }

  private nextLine(): boolean {
    const { bytes } = this;
    const start = this.lineEnd + 1;
    if (start >= bytes.length) {
      this.exhausted = true;
      return false;
    }
    const newline = bytes.indexOf(NEWLINE, start);
    this.lineStart = start;
    this.lineEnd = newline < 0 ? bytes.length : newline;
    this.lineNumber++;
    this.pos = this.openMetrics ? start : this.skipSpace(start);
    return true;
  }

  private readSeries(): void {
    const { bytes } = this;
    const start = this.pos;
    const mark = this.type === 'histogram' ? 'h' : this.type === 'summary' ? 's' : '-';
    this.repeats = mark === this.mark && this.standsAgain(start);
    if (this.repeats) {
      this.seriesEnd += start - this.seriesStart;
      this.seriesStart = start;
      return;
    }
    let end = start;
    if (bytes[start] !== BRACE) {
      end = this.nameEnd(start, true);
      if (end === start) this.fail('expected a metric name', start);
    }
    const brace = this.openMetrics ? end : this.skipSpace(end);
    if (bytes[brace] === BRACE) end = this.bracesEnd(brace);
    this.mark = mark;
    this.seriesStart = start;
    this.seriesEnd = end;
  }

  /** Whether the bytes of the series before stand at `start`, too, and end there: dumps give a series' samples in a row. */
  private standsAgain(start: number): boolean {
    const { view, seriesStart } = this;
    const length = this.seriesEnd - seriesStart;
    const end = start + length;
    // In the text format a name without labels may be followed by blanks and labels.
    if (length === 0 || end >= this.lineEnd || this.bytes[end] !== SPACE) return false;
    if (!this.openMetrics && this.bytes[end - 1] !== CLOSING) return false;
    let at = 0;
    for (; at + 4 <= length; at += 4) {
      if (view.getInt32(seriesStart + at) !== view.getInt32(start + at)) return false;
    }
    for (; at < length; at++) if (view.getUint8(seriesStart + at) !== view.getUint8(start + at)) return false;
    return true;
  }

  private sample(): void {
    const { bytes } = this;
    this.readSeries();
    let pos = this.separator(this.seriesEnd, 'a value');
    const valueEnd = this.tokenEnd(pos);
    const value = parseValue(bytes, pos, valueEnd);
    if (value === undefined)
      this.fail(
        bytes[valueEnd - 1] === RETURN
          ? 'a carriage return before the end of the line'
          : 'expected a number as the value',
        pos,
      );
    this.value = value;
    this.timeMs = undefined;
    pos = valueEnd;
    if (!this.openMetrics) {
      pos = this.skipSpace(pos);
      if (pos === this.lineEnd) return;
      const timeEnd = this.tokenEnd(pos);
      this.timeMs = this.milliseconds(pos, timeEnd);
      if (this.skipSpace(timeEnd) !== this.lineEnd) this.fail('text after the timestamp', timeEnd);
      return;
    }
    if (pos === this.lineEnd) return;
    pos = this.separator(pos, 'a timestamp');
    if (bytes[pos] !== HASH) {
      const timeEnd = this.tokenEnd(pos);
      this.timeMs = this.seconds(pos, timeEnd);
      pos = timeEnd;
      if (pos === this.lineEnd) return;
      pos = this.separator(pos, 'an exemplar');
    }
    this.exemplar(pos);
  }

  /** `# {labels} value [timestamp]`: read for its form only. */
  private exemplar(at: number): void {
    const { bytes } = this;
    if (bytes[at] !== HASH) this.fail('text after the timestamp', at);
    let pos = this.separator(at + 1, 'the labels of an exemplar');
    if (bytes[pos] !== BRACE) this.fail('expected the labels of an exemplar', pos);
    const labelsEnd = this.bracesEnd(pos);
    this.readLabels(pos, []);
    pos = this.separator(labelsEnd, 'the value of an exemplar');
    const valueEnd = this.tokenEnd(pos);
    if (parseValue(bytes, pos, valueEnd) === undefined) this.fail('expected a number as the value of an exemplar', pos);
    if (valueEnd === this.lineEnd) return;
    pos = this.separator(valueEnd, 'the timestamp of an exemplar');
    const timeEnd = this.tokenEnd(pos);
    this.seconds(pos, timeEnd);
    if (timeEnd !== this.lineEnd) this.fail('text after an exemplar', timeEnd);
  }

  private milliseconds(start: number, end: number): number {
    const text = this.bytes.toString('latin1', start, end);
    const time = Number(text);
    if (!/^-?\d{1,16}$/.test(text) || !Number.isSafeInteger(time)) {
      this.fail(
        text.endsWith('\r') ? 'a carriage return before the end of the line' : 'expected a timestamp in milliseconds',
        start,
      );
    }
    return time;
  }

  private seconds(start: number, end: number): number {
    const seconds = parseValue(this.bytes, start, end);
    if (seconds === undefined || !Number.isFinite(seconds) || Math.abs(seconds) > 1e12) {
      this.fail('expected a timestamp in seconds', start);
    }
    return Math.trunc(seconds * 1000);
  }

  private comment(): EntryKind | undefined {
    const { bytes } = this;
    const afterHash = this.pos + 1;
    if (this.openMetrics) {
      if (bytes.toString('latin1', this.pos, this.lineEnd) === '# EOF') {
        this.ended = true;
        return undefined;
      }
      if (bytes[afterHash] !== SPACE) this.fail('expected "# HELP", "# TYPE", "# UNIT" or "# EOF"');
    }
    const wordStart = this.openMetrics ? afterHash + 1 : this.skipSpace(afterHash);
    const wordEnd = this.tokenEnd(wordStart);
    const word = wordStart > afterHash ? bytes.toString('latin1', wordStart, wordEnd) : '';
    const known = word === 'HELP' || word === 'TYPE' || (word === 'UNIT' && this.openMetrics);
    if (!known || wordEnd === this.lineEnd) {
      if (this.openMetrics) this.fail('expected "# HELP", "# TYPE", "# UNIT" or "# EOF", and a metric name');
      return undefined; // any other comment
    }
    let pos = this.separator(wordEnd, 'a metric name');
    if (bytes[pos] === QUOTE) {
      const end = this.quoteEnd(pos);
      this.family = this.unquote(pos, end);
      pos = end;
    } else {
      const end = this.nameEnd(pos, true);
      if (end === pos) this.fail(`expected a metric name after ${word}`, pos);
      this.family = bytes.toString('latin1', pos, end);
      pos = end;
    }
    if (pos < this.lineEnd && !isSpace(bytes[pos])) {
      if (this.openMetrics || word === 'TYPE') this.fail('a metric name with a character that is not allowed', pos);
      return undefined; // help about a name that no series can have
    }
    if (this.openMetrics && pos === this.lineEnd) this.fail(`expected text after the name in ${word}`, pos);
    const start = Math.min(pos + 1, this.lineEnd);
    if (!isUtf8(bytes.subarray(start, this.lineEnd))) this.fail('text that is not UTF-8', start);
    this.text = bytes.toString('utf8', start, this.lineEnd);
    if (word === 'TYPE') {
      this.type = this.metricType(this.text, pos);
      return 'type';
    }
    if (word === 'HELP') {
      this.text = unescapeHelp(this.text, this.openMetrics);
      return 'help';
    }
    if (this.text !== '' && !this.family.endsWith(`_${this.text}`))
      this.fail(`unit "${this.text}" is not the end of the name ${this.family}`);
    return 'unit';
  }

  private metricType(text: string, at: number): MetricType {
    const types = this.openMetrics ? OPENMETRICS_TYPES : TEXT_TYPES;
    const type = types.get(text);
    if (type === undefined) this.fail(`"${text}" is not a metric type`, at);
    return type;
  }

  /** End of a metric name (with colons) or a label name; `start` itself when there is none. */
  private nameEnd(start: number, colons: boolean): number {
    const { bytes } = this;
    let pos = start;
    for (; pos < this.lineEnd; pos++) {
      const byte = bytes[pos] ?? 0;
      const isLetter = (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x5f;
      if (isLetter || (colons && byte === 0x3a) || (pos > start && byte >= 0x30 && byte <= 0x39)) continue;
      break;
    }
    return pos;
  }

  /** Position after the closing brace. */
  private bracesEnd(start: number): number {
    const { bytes } = this;
    for (let pos = start + 1; pos < this.lineEnd; pos++) {
      const byte = bytes[pos];
      if (byte === QUOTE) pos = this.quoteEnd(pos) - 1;
      else if (byte === CLOSING) return pos + 1;
    }
    return this.fail('labels without a closing brace', start);
  }

  /** Position after the closing quote. */
  private quoteEnd(start: number): number {
    const { bytes } = this;
    for (let pos = start + 1; pos < this.lineEnd; pos++) {
      const byte = bytes[pos];
      if (byte === BACKSLASH) pos++;
      else if (byte === QUOTE) return pos + 1;
    }
    return this.fail('a quoted text without an end', start);
  }

  private unquote(start: number, end: number): string {
    const inner = this.bytes.subarray(start + 1, end - 1);
    if (!isUtf8(inner)) this.fail('a label that is not UTF-8', start);
    const text = inner.toString('utf8');
    return text.includes('\\') ? text.replace(/\\(["\\n])/g, (_match, c: string) => (c === 'n' ? '\n' : c)) : text;
  }

  private normalise(name: string, value: string): string {
    const isNumber = (name === 'le' && this.type === 'histogram') || (name === 'quantile' && this.type === 'summary');
    return isNumber ? normalNumber(value) : value;
  }

  private skipSpace(start: number): number {
    let pos = start;
    while (isSpace(this.bytes[pos])) pos++;
    return pos;
  }

  /** Blanks inside of braces, which only the text format allows. */
  private skipBlank(start: number): number {
    return this.openMetrics ? start : this.skipSpace(start);
  }

  private tokenEnd(start: number): number {
    let pos = start;
    while (pos < this.lineEnd && !isSpace(this.bytes[pos])) pos++;
    return pos;
  }

  /** Passes what separates two parts: exactly one space in OpenMetrics, any blanks in the text format. */
  private separator(at: number, before: string): number {
    const pos = this.openMetrics ? (this.bytes[at] === SPACE ? at + 1 : at) : this.skipSpace(at);
    const touching = pos === at && !(this.bytes[at - 1] === CLOSING && !this.openMetrics);
    if (touching || pos >= this.lineEnd) this.fail(`expected ${before}`, at);
    return pos;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

function unescapeHelp(text: string, quotes: boolean): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(["\\n])/g, (match, c: string) => (c === 'n' ? '\n' : c === '"' && !quotes ? match : c));
}

const TEXT_TYPES: ReadonlyMap<string, MetricType> = new Map([
  ['counter', 'counter'], ['gauge', 'gauge'], ['histogram', 'histogram'], ['summary', 'summary'], ['untyped', 'unknown'],
]); // biome-ignore format: a table

const OPENMETRICS_TYPES: ReadonlyMap<string, MetricType> = new Map([
  ['counter', 'counter'], ['gauge', 'gauge'], ['histogram', 'histogram'], ['gaugehistogram', 'histogram'], ['summary', 'summary'],
  ['info', 'info'], ['stateset', 'stateset'], ['unknown', 'unknown'],
]); // biome-ignore format: a table

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const COMMA = 0x2c;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const CLOSING = 0x7d;
