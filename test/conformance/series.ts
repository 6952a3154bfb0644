import { type LabelSet, labelSet, type NativeHistogram } from '../../src/model/index.ts';
import { parseExpr } from '../../src/query/promql/syntax/index.ts';
import { histogramSequence, parseHistogram } from './histogram-literal.ts';

/** A series with its points, one per step of the load: a number, nothing, a stale marker, or a native histogram. */
export interface LoadedSeries {
  labels: LabelSet;
  points: Point[];
}

export type Point = number | 'missing' | 'stale' | NativeHistogram;

/** `name{a="b"} 1+2x3 _ stale`. */
export function parseSeriesLine(text: string, line: number): LoadedSeries {
  const end = endOfLabels(text);
  const selector = parseExpr(text.slice(0, end));
  if (selector.kind !== 'selector') throw new Error(`line ${line}: not a series: ${text}`);
  const labels = labelSet([
    ...selector.matchers.map(({ name, value }) => [name, value] as const),
    ...(selector.name === undefined ? [] : [['__name__', selector.name] as const]),
  ]);
  return { labels, points: parsePoints(text.slice(end), line) };
}

/** Where the labels end: after the closing brace, or at the first space when there are none. */
function endOfLabels(text: string): number {
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (quote !== '') {
      if (char === '\\' && quote !== '`') i++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'" || char === '`') quote = char;
    else if (char === '}') return i + 1;
    else if (/\s/.test(char) && !text.slice(0, i).includes('{') && !/^\s*\{(?!\{)/.test(text.slice(i))) return i;
  }
  return text.length;
}

const NUMBER = String.raw`[-+]?(?:inf|nan|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)`;
const ITEM = new RegExp(`^(?:(_|stale)|(${NUMBER})(?:([-+])(${NUMBER.replace('[-+]?', '')}))?)(?:x(\\d+))?$`, 'i');

function parsePoints(text: string, line: number): Point[] {
  const points: Point[] = [];
  for (const item of splitItems(text)) {
    if (item.startsWith('{{')) {
      points.push(...parseHistograms(item, line));
      continue;
    }
    const match = ITEM.exec(item);
    if (!match) throw new Error(`line ${line}: not a point: ${item}`);
    const [, word, first, sign, difference, times] = match;
    if (word) points.push(...Array<Point>(Math.max(1, Number(times ?? 1))).fill(word === '_' ? 'missing' : 'stale'));
    else
      points.push(
        ...sequence(numberOf(first ?? ''), (sign === '-' ? -1 : 1) * numberOf(difference ?? '0'), Number(times ?? 0)),
      );
  }
  return points;
}

/** `{{…}}`, `{{…}}x3`, `{{…}}+{{…}}x3`. */
function parseHistograms(item: string, line: number): NativeHistogram[] {
  const [, first = '', sign, second, times] = /^(\{\{.*?\}\})(?:([-+])(\{\{.*?\}\}))?(?:x(\d+))?$/.exec(item) ?? [];
  if (first === '') throw new Error(`line ${line}: not a native histogram: ${item}`);
  const increment =
    second === undefined
      ? undefined
      : { histogram: parseHistogram(second, line), sign: sign === '-' ? (-1 as const) : (1 as const) }; // literals
  return histogramSequence(parseHistogram(first, line), increment, Number(times ?? 0));
}

/** Splits at spaces outside of the braces of native histograms. */
function splitItems(text: string): string[] {
  return text.match(/(?:\{\{[^}]*\}\}(?:[-+]\{\{[^}]*\}\})?(?:x\d+)?|\S+)/g) ?? [];
}

function sequence(first: number, difference: number, times: number): number[] {
  const points = [first];
  for (let i = 1; i <= times; i++) points.push((points[i - 1] ?? 0) + difference);
  return points;
}

function numberOf(text: string): number {
  const lower = text.toLowerCase();
  const bare = lower.replace(/^[-+]/, '');
  const sign = lower.startsWith('-') ? -1 : 1;
  if (bare === 'inf') return sign * Number.POSITIVE_INFINITY;
  return bare === 'nan' ? Number.NaN : sign * Number(bare);
}
