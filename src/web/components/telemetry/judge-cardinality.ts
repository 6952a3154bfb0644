import type { CardinalityResponse } from '../../../api/contract/index.ts';
import { coarse, formatValue } from '../../format/index.ts';
import type { State } from '../state.ts';
import { reasonWords } from './drop-words.ts';

export type MetricCardinality = CardinalityResponse['metrics'][number];
export type Refusal = CardinalityResponse['refusals'][number];

const HOUR = 3600;
/** What a forecast is worth telling: growth seen over an hour says little about a month. */
const FAR_SECONDS = 30 * 86_400;
/** Nearer to a limit than this share is trouble. */
const NEAR = 0.8;
/** A label explodes when it has this many values and they make up most of its metric's series. */
const MANY_VALUES = 100;
const MOST_SERIES = 0.5;
const EXACT_VALUES = 64;
const RECENT_MS = 300_000;

/** Until all series allowed are in use, when they go on growing as in the last hour; undefined when that is far or never. */
export function secondsToLimit({ active, limit, metrics }: Pick<CardinalityResponse, 'active' | 'limit' | 'metrics'>) {
  return secondsUntil(
    limit - active,
    metrics.reduce((sum, metric) => sum + metric.growthPerHour, 0),
  );
}

/** The label that makes a metric's series many, if one does. */
export function explodingLabel({ labels, series }: Pick<MetricCardinality, 'labels' | 'series'>) {
  const [most] = labels;
  return most !== undefined && most.values >= MANY_VALUES && most.values >= series * MOST_SERIES ? most : undefined;
}

/** How many values a label has. Beyond 64 the server estimates them within 7 %, so that more digits would lie. */
export function valueCount(values: number): string {
  return values <= EXACT_VALUES ? formatValue(values, '') : `≈\u2009${formatValue(Number(values.toPrecision(2)), '')}`;
}

/** What is wrong with one metric, in words that follow its name; undefined when nothing is. */
export function metricTrouble(metric: MetricCardinality, perMetricLimit: number): string | undefined {
  if (metric.refused > 0) return `had ${formatValue(metric.refused, '')} samples refused`;
  if (metric.series >= perMetricLimit * NEAR)
    return `has ${formatValue(metric.series / perMetricLimit, 'ratio')} of the series allowed per metric`;
  const left = secondsUntil(perMetricLimit - metric.series, metric.growthPerHour);
  if (left !== undefined && left < 86_400) return `reaches its limit in ${coarse(left)} if it goes on growing so`;
  return undefined;
}

/** Is something exploding? In a sentence. */
export function judgeCardinality(data: CardinalityResponse, now: number): { state: State; words: string } {
  const [refusal] = [...data.refusals].sort((a, b) => b.count - a.count).filter((r) => isRecent(r, now));
  if (refusal !== undefined) return { state: 'warning', words: refusalWords(data, refusal) };
  const used = data.limit === 0 ? 0 : data.active / data.limit;
  if (used >= NEAR)
    return { state: 'warning', words: `${formatValue(used, 'ratio')} of the series allowed are in use.` };
  const troubled = data.metrics
    .map((metric) => ({ metric, words: metricTrouble(metric, data.perMetricLimit) }))
    .filter(({ metric, words }) => words !== undefined && metric.refused === 0);
  const [first] = troubled;
  if (first !== undefined)
    return { state: 'warning', words: `${first.metric.metric} of ${first.metric.cluster} ${first.words}.` };
  if (data.active === 0) return { state: 'unknown', words: 'No series has come in yet.' };
  const past = data.refusals.length === 0 ? 'nothing was refused' : 'nothing is being refused now';
  return {
    state: 'ok',
    words: `${formatValue(data.active, '')} series are active, ${formatValue(used, 'ratio')} of those allowed, and ${past}.`,
  };
}

/** Being refused now, not only earlier. */
export function isRecent(refusal: Refusal, now: number): boolean {
  return now - Date.parse(refusal.last) < RECENT_MS;
}

function refusalWords(data: CardinalityResponse, { metric, cluster, label, count, reason }: Refusal): string {
  const counts = data.metrics.find((m) => m.metric === metric && m.cluster === cluster);
  const values = counts?.labels.find((l) => l.name === label)?.values;
  const refused = `${formatValue(count, '')} ${count === 1 ? 'sample was' : 'samples were'} refused`;
  if (label === '') return `${metric} of ${cluster} has ${reasonWords(reason)}: ${refused}.`;
  const many = values === undefined ? 'too many values' : `${valueCount(values)} ${values === 1 ? 'value' : 'values'}`;
  return `The label ${label} of ${metric} explodes: ${many} in ${cluster}, and ${refused}.`;
}

function secondsUntil(room: number, growthPerHour: number): number | undefined {
  if (growthPerHour <= 0) return undefined;
  const seconds = (Math.max(0, room) / growthPerHour) * HOUR;
  return seconds > FAR_SECONDS ? undefined : seconds;
}
