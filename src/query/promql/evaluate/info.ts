import {
  dropLabels,
  keepLabels,
  type LabelSet,
  labelKey,
  labelPairs,
  labelValue,
  METRIC_NAME,
} from '../../../model/index.ts';
import { compileMatcher, type Matcher } from '../../sources/index.ts';
import { PromqlError } from '../error.ts';
import { unwrap, type VectorSelector } from '../syntax/index.ts';
import type { FunctionCall } from './call.ts';
import { describeLabels, mergeEqual, replaceLabel } from './names.ts';
import { selectInstant, selectTimestamps } from './selector.ts';
import { emptyRow, isEmpty, type Row, setElement } from './values.ts';

/** Labels that join a series with its info series. */
const IDENTIFYING: ReadonlySet<string> = new Set(['instance', 'job']);
const NOT_DATA: ReadonlySet<string> = new Set([METRIC_NAME, ...IDENTIFYING]);
const DEFAULT_INFO: Matcher = { name: METRIC_NAME, op: '=', value: 'target_info' };

/**
 * `info(v, {…})`: adds the data labels of info series (`target_info` unless the second argument names others) to the
 * elements with the same `instance` and `job`. With matchers only the matched labels are added, and elements without
 * an info series are left out when a matcher does not match the empty string.
 */
export async function addInfo(call: FunctionCall): Promise<Row[]> {
  const rows = await call.vector(0);
  const wanted = wantedInfo(call);
  const infos = await selectInfo(wanted, call);
  const isInfo = infoNameTest(wanted);
  return mergeEqual(
    rows.flatMap((row) => (isInfo(row.labels) ? [row] : joined(row, infos.get(identity(row.labels)) ?? [], wanted))),
  );
}

interface WantedInfo {
  names: readonly Matcher[];
  data: readonly Matcher[];
}

function wantedInfo(call: FunctionCall): WantedInfo {
  if (call.expr.args.length < 2) return { names: [DEFAULT_INFO], data: [] };
  const selector = unwrap(call.arg(1));
  const matchers = selector.kind === 'selector' ? selector.matchers : [];
  const names = matchers.filter((matcher) => matcher.name === METRIC_NAME);
  return {
    names: names.length > 0 ? names : [DEFAULT_INFO],
    data: matchers.filter((matcher) => matcher.name !== METRIC_NAME),
  };
}

function infoNameTest(wanted: WantedInfo): (labels: LabelSet) => boolean {
  const tests = wanted.names.map(compileMatcher);
  return (labels) => tests.every((test) => test(labelValue(labels, METRIC_NAME)));
}

interface InfoSeries {
  row: Row;
  /** Times of the samples; of several series at one point the newest counts. */
  times: Float64Array;
}

async function selectInfo(wanted: WantedInfo, call: FunctionCall): Promise<Map<string, InfoSeries[]>> {
  const selector: VectorSelector = {
    kind: 'selector',
    matchers: [...wanted.names, ...wanted.data],
    time: {},
    span: call.expr.span,
  };
  const [rows, timeRows] = await Promise.all([
    selectInstant(selector, call.points, call.query),
    selectTimestamps(selector, call.points, call.query),
  ]);
  const timesOf = new Map(timeRows.map((row) => [labelKey(row.labels), row.values]));
  const infos = new Map<string, InfoSeries[]>();
  for (const row of rows) {
    const key = identity(row.labels);
    const series = { row, times: timesOf.get(labelKey(row.labels)) ?? row.values };
    infos.set(key, [...(infos.get(key) ?? []), series]);
  }
  return infos;
}

function identity(labels: LabelSet): string {
  return labelKey(keepLabels(labels, IDENTIFYING));
}

/** One row per combination of info series that was the newest at some point. */
function joined(row: Row, infos: InfoSeries[], wanted: WantedInfo): Row[] {
  const steps = row.values.length;
  const byLabels = new Map<string, Row>();
  const mayLack = wanted.data.every((matcher) => compileMatcher(matcher)(''));
  for (let step = 0; step < steps; step++) {
    if (!row.present[step]) continue;
    const labels = labelsAt(row, infos, wanted, step);
    if (!labels && !mayLack) continue;
    const target = labels ?? row.labels;
    const key = labelKey(target);
    const result = byLabels.get(key) ?? emptyRow(target, row.dropName, steps);
    setElement(result, step, row.histograms?.[step] ?? row.values[step] ?? 0);
    byLabels.set(key, result);
  }
  return [...byLabels.values()].filter((result) => !isEmpty(result));
}

function labelsAt(row: Row, infos: InfoSeries[], wanted: WantedInfo, step: number): LabelSet | undefined {
  const newest = new Map<string, InfoSeries>();
  for (const info of infos) {
    if (!info.row.present[step]) continue;
    const name = labelValue(info.row.labels, METRIC_NAME);
    const known = newest.get(name);
    if (!known || (info.times[step] ?? 0) > (known.times[step] ?? 0)) newest.set(name, info);
    else if (info.times[step] === known.times[step]) throw duplicate(info, known);
  }
  if (newest.size === 0) return undefined;
  let labels = row.labels;
  const added = new Map<string, string>();
  const allowed = wanted.data.length > 0 ? new Set(wanted.data.map((matcher) => matcher.name)) : undefined;
  for (const info of newest.values()) {
    for (const [name, value] of labelPairs(dropLabels(info.row.labels, NOT_DATA))) {
      if (allowed && !allowed.has(name)) continue;
      if (added.has(name) && added.get(name) !== value)
        throw new PromqlError('execution', `conflicting label: ${name}`);
      added.set(name, value);
      if (labelValue(row.labels, name) === '') labels = replaceLabel(labels, name, value);
    }
  }
  return labels;
}

function duplicate(a: InfoSeries, b: InfoSeries): PromqlError {
  return new PromqlError(
    'execution',
    `found duplicate series for info metric: existing ${describeLabels(b.row.labels)}, new ${describeLabels(a.row.labels)}`,
  );
}
