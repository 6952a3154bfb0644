import { emptyLabels, type LabelSet } from '../../../model/index.ts';
import type { ClickHousePort } from '../../../store/index.ts';
import { type Bound, bind, type Sql, sql } from '../../sql/index.ts';
import {
  GRID_FUNCTIONS,
  type GridCapability,
  type GridColumns,
  type GridFunction,
  type GridRequest,
  type ReadOptions,
} from '../contract.ts';
import { milliseconds } from './conditions.ts';
import { groupsOf } from './groups.ts';
import { hasHistograms } from './histograms.ts';
import { readBlocks } from './read.ts';
import { type FoundSeries, findSeries } from './series.ts';

/** What the engine calls them. `changes` is not among them: the engine counts NaN after NaN as a change. */
const NAMES: Readonly<Record<GridFunction, Sql>> = {
  last: sql`timeSeriesResampleToGridWithStaleness`,
  rate: sql`timeSeriesRateToGrid`,
  increase: sql`timeSeriesIncreaseToGrid`,
  delta: sql`timeSeriesDeltaToGrid`,
  irate: sql`timeSeriesInstantRateToGrid`,
  idelta: sql`timeSeriesInstantDeltaToGrid`,
  resets: sql`timeSeriesResetsToGrid`,
};

/** The functions that this server has; undefined when it has none. */
export async function gridCapability(port: ClickHousePort): Promise<GridCapability | undefined> {
  const present = new Set<string>();
  const names = Object.values(NAMES).map(({ texts }) => texts.join(''));
  const query = sql`SELECT name FROM system.functions WHERE name IN ${bind('Array(String)', names)}`;
  const read = { limits: { seconds: 10, memoryBytes: 256 * 1024 ** 2, series: 0, samples: 0 } };
  for await (const block of readBlocks(port, query, read, { limit: 'series', count: names.length })) {
    for (const name of block.columns.get('name') ?? []) present.add(String(name));
  }
  const functions = new Set(GRID_FUNCTIONS.filter((name) => present.has(NAMES[name].texts.join(''))));
  if (functions.size === 0) return undefined;
  return {
    functions,
    aggregations: new Set(['sum', 'count']),
    evaluate: (request, read) => evaluateGrid(port, request, read),
  };
}

const noRows: GridColumns = {
  series: [],
  values: new Float64Array(0),
  present: new Uint8Array(0),
  folded: false,
  samplesRead: 0,
};

async function evaluateGrid(port: ClickHousePort, request: GridRequest, read: ReadOptions): Promise<GridColumns> {
  const window = {
    afterMs: request.startMs - request.windowMs,
    throughMs: request.startMs + (request.steps - 1) * request.stepMs,
  };
  const found = await findSeries(port, { ...request, ...window }, read);
  if (found.ids.length === 0) return noRows;
  const histograms = hasHistograms(port, found, window, read);
  histograms.catch(() => undefined); // looked at below; the numbers may fail before
  const samples = sql`FROM samples WHERE ${found.condition} AND ts > ${milliseconds(window.afterMs)} AND ts <= ${milliseconds(window.throughMs)}`;
  const columns = isWorthFolding(request, found)
    ? await readGroups(port, request, found, samples, read)
    : await readEach(port, request, found, samples, read);
  return (await histograms) ? { ...noRows, incomplete: true } : columns;
}

/** Summing here is not compensated and saves only the transfer of the points, so it is for very many of them. */
const FOLD_SUMS_FROM_POINTS = 2_000_000;

function isWorthFolding({ aggregate, steps }: GridRequest, found: FoundSeries): boolean {
  if (!aggregate || !found.sendable) return false;
  return aggregate.op === 'count' || found.ids.length * steps >= FOLD_SUMS_FROM_POINTS;
}

async function readEach(
  port: ClickHousePort,
  request: GridRequest,
  found: FoundSeries,
  samples: Sql,
  read: ReadOptions,
): Promise<GridColumns> {
  const query = sql`SELECT series_id AS key, count() AS samples, arrayMap(point -> ifNull(point, ${ABSENT}), ${grid(request)}) AS grid
${samples}${withoutStale(request)} GROUP BY series_id ${SETTINGS}`;
  const labels = new Map(found.ids.map((id, i) => [id, found.labels[i] ?? emptyLabels]));
  return { ...(await collect(port, query, labels, request.steps, read)), folded: false };
}

/** Groups by number: which series is in which one is decided here, where all labels are known. */
async function readGroups(
  port: ClickHousePort,
  request: GridRequest,
  found: FoundSeries,
  samples: Sql,
  read: ReadOptions,
): Promise<GridColumns> {
  const { numbers, labels } = groupsOf(found.labels, request.aggregate?.grouping ?? { kind: 'by', labels: [] });
  const group = sql`transform(series_id, ${bind('Array(UInt64)', found.ids)}, ${bind('Array(UInt64)', numbers)}, toUInt64(0))`;
  const each = sql`SELECT series_id, count() AS samples, ${withoutStalePoints(request)} AS grid
${samples}${withoutStale(request)} GROUP BY series_id`;
  const folded =
    request.aggregate?.op === 'count'
      ? sql`arrayMap(count -> if(count = 0, ${ABSENT}, toFloat64(count)), countForEach(grid))`
      : sql`arrayMap(point -> ifNull(point, ${ABSENT}), sumForEach(grid))`;
  const query = sql`SELECT ${group} AS key, sum(samples) AS samples, ${folded} AS grid FROM (${each}) GROUP BY key ${SETTINGS}`;
  const groups = new Map(labels.map((one, i) => [BigInt(i), one]));
  return { ...(await collect(port, query, groups, request.steps, read)), folded: true };
}

const SETTINGS = sql`SETTINGS allow_experimental_time_series_aggregate_functions = 1`;
/** On the way, the stale marker's bits stand for "no point". */
const ABSENT = sql`reinterpretAsFloat64(toUInt64(9218868437227405314))`;
const IS_NOT_STALE = sql`reinterpretAsUInt64(value) != 9218868437227405314`;

function grid(request: GridRequest): Sql {
  const end = request.startMs + (request.steps - 1) * request.stepMs;
  const bounds = sql`${seconds(request.startMs)}, ${seconds(end)}, ${seconds(request.stepMs)}, ${seconds(request.windowMs)}`;
  return sql`${NAMES[request.function]}(${bounds})(ts, value)`;
}

function seconds(ms: number): Bound {
  return bind('Decimal(18, 3)', (ms / 1000).toFixed(3));
}

/** Range functions never see stale markers; an instant selector must, since one of them hides what came before. */
function withoutStale(request: GridRequest): Sql {
  return request.function === 'last' ? sql`` : sql` AND ${IS_NOT_STALE}`;
}

function withoutStalePoints(request: GridRequest): Sql {
  if (request.function !== 'last') return grid(request);
  return sql`arrayMap(point -> if(reinterpretAsUInt64(ifNull(point, 0)) = 9218868437227405314, NULL, point), ${grid(request)})`;
}

async function collect(
  port: ClickHousePort,
  query: Sql,
  labelsOf: ReadonlyMap<bigint, LabelSet>,
  steps: number,
  read: ReadOptions,
): Promise<Omit<GridColumns, 'folded'>> {
  const series: LabelSet[] = [];
  const grids: Float64Array[] = [];
  let samplesRead = 0;
  for await (const block of readBlocks(port, query, read, { limit: 'series', count: labelsOf.size })) {
    const columns = [block.columns.get('key'), block.columns.get('samples'), block.columns.get('grid')];
    const [keys = [], samples = [], points = []] = columns;
    for (let row = 0; row < block.rows; row++) {
      const key = keys[row];
      const values = points[row];
      if (typeof key !== 'bigint' || !(values instanceof Float64Array))
        throw new Error('a grid has another shape than asked for');
      series.push(labelsOf.get(key) ?? emptyLabels);
      grids.push(values);
      samplesRead += Number(samples[row]);
    }
  }
  return { series, ...flatten(grids, steps), samplesRead };
}

function flatten(grids: readonly Float64Array[], steps: number): { values: Float64Array; present: Uint8Array } {
  const values = new Float64Array(grids.length * steps);
  for (const [i, grid] of grids.entries()) values.set(grid.subarray(0, steps), i * steps);
  const words = new Uint32Array(values.buffer);
  const present = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) present[i] = words[2 * i] === 2 && words[2 * i + 1] === 0x7ff00000 ? 0 : 1;
  return { values, present };
}
