import { everything, type SignalBatch, setStaleAt } from '../../src/model/index.ts';
import type { PromqlEngine } from '../../src/query/index.ts';
import { compareResult, matchesText, showResult } from './compare.ts';
import { type Command, type Evaluation, parseScript } from './script.ts';
import type { LoadedSeries } from './series.ts';

/** What a script runs against: somewhere to put samples, and an engine that reads there. */
export interface Target {
  engine: PromqlEngine;
  load(batch: SignalBatch): Promise<void>;
  clear(): Promise<void>;
}

export interface ScriptReport {
  passed: number;
  failures: Failure[];
}

export interface Failure {
  line: number;
  query: string;
  expected: string;
  got: string;
}

/** Runs a script from an empty target; each evaluation counts as one case. */
export async function runScript(text: string, target: Target): Promise<ScriptReport> {
  const report: ScriptReport = { passed: 0, failures: [] };
  const lines = text.split('\n');
  await target.clear();
  for (const command of parseScript(text)) {
    if (command.kind === 'clear') await target.clear();
    else if (command.kind === 'load') await target.load(toBatch(command));
    else {
      const failure = await judge(command, target.engine);
      if (failure)
        report.failures.push({
          line: command.line,
          query: command.query,
          expected: expectedText(lines, command),
          ...failure,
        });
      else report.passed++;
    }
  }
  return report;
}

async function judge(evaluation: Evaluation, engine: PromqlEngine): Promise<{ got: string } | undefined> {
  const { at, query, expect } = evaluation;
  try {
    const result =
      at.kind === 'instant'
        ? await engine.instant({ query, timeMs: at.timeMs, scope: everything })
        : await engine.range({ query, ...at, scope: everything });
    if (expect.fail) return { got: `no error but\n${showResult(result)}` };
    const difference = compareResult(evaluation, result) ?? (await compareInRange(evaluation, engine));
    return difference ? { got: `${showResult(result)}\n(${difference})` } : undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return expect.fail && matchesText(expect.fail, message) ? undefined : { got: `error: ${message}` };
  }
}

/** An instant query's answer is also the middle of a range query around its time. */
async function compareInRange(evaluation: Evaluation, engine: PromqlEngine): Promise<string | undefined> {
  const { at, expect, query } = evaluation;
  if (at.kind !== 'instant' || expect.ordered || expect.string !== undefined || expect.rangeVector) return undefined;
  if (/\b(start|end|step|range)\s*\(/i.test(query)) return undefined;
  const minute = 60_000;
  const { value } = await engine.range({
    query,
    startMs: at.timeMs - minute,
    endMs: at.timeMs + minute,
    stepMs: minute,
    scope: everything,
  });
  if (value.kind !== 'matrix') return 'no matrix in range mode';
  const { timeMs } = at;
  const samples = value.series.flatMap(({ labels, timesMs, values, histograms }) => {
    const histogram = histograms?.find((point) => point.timeMs === timeMs)?.value;
    if (histogram) return [{ labels, timeMs, value: Number.NaN, histogram }];
    const middle = timesMs.indexOf(timeMs);
    return middle < 0 ? [] : [{ labels, timeMs, value: values[middle] ?? 0 }];
  });
  const nothing = { warnings: [], infos: [], stats: { samples: 0, series: 0, queries: 0 } };
  const series = evaluation.scalar === undefined ? evaluation.series : [{ labels: [], points: [evaluation.scalar] }];
  const { scalar: _, ...rest } = evaluation;
  const difference = compareResult({ ...rest, series, expect: {} }, { value: { kind: 'vector', samples }, ...nothing });
  return difference && `in range mode: ${difference}`;
}

function expectedText(lines: readonly string[], { line }: Evaluation): string {
  const block: string[] = [];
  for (let at = line; (lines[at] ?? '').trim() !== ''; at++) block.push((lines[at] ?? '').trim());
  return block.filter((text) => !text.startsWith('#')).join('\n') || '(empty)';
}

/** The samples of a load. A series given twice counts as given last. */
function toBatch({ stepMs, series }: Command & { kind: 'load' }): SignalBatch {
  const last = new Map(series.map((one) => [one.labels.join('\u0000'), one]));
  const samples = [...last.values()].flatMap((one, index) => floats(one).map((sample) => ({ ...sample, index })));
  const values = Float64Array.from(samples, ({ point }) => (point === 'stale' ? 0 : point));
  for (const [i, { point }] of samples.entries()) if (point === 'stale') setStaleAt(values, i);
  const histograms = [...last.values()].flatMap(({ points }, index) =>
    points.flatMap((point, step) => (typeof point === 'object' ? [{ point, step, index }] : [])),
  );
  const loaded = [...last.values()].map(({ labels }) => ({ labels, cluster: 'unknown' }));
  return {
    samples: { series: loaded, ...columns(samples, stepMs), values },
    histograms: { series: loaded, ...columns(histograms, stepMs), values: histograms.map(({ point }) => point) },
  };
}

function columns(samples: readonly { step: number; index: number }[], stepMs: number) {
  return {
    seriesOf: Uint32Array.from(samples, ({ index }) => index),
    timesMs: Float64Array.from(samples, ({ step }) => step * stepMs),
  };
}

function floats({ points }: LoadedSeries): { point: number | 'stale'; step: number }[] {
  return points.flatMap((point, step) => (typeof point === 'number' || point === 'stale' ? [{ point, step }] : []));
}
