import { randomBytes } from 'node:crypto';
import type { Hash64 } from '../encoding/hash.ts';
import type { CallOptions, ClickHousePort } from './port.ts';
import { selectRows } from './rows.ts';

/** Samples that were dropped because another value of their series and time had come before. */
export interface DuplicateValues {
  count: number;
  /** One of them. */
  example: { metric: string; labels: ReadonlyMap<string, string>; timeMs: number; kept: number; dropped: number };
}

/** Samples of the series and times that are among the late ones. Not more rows than those, however much is stored. */
const STORED = `SELECT series_id, ts, value FROM samples
WHERE metric_id IN (SELECT metric_id FROM samples_late) AND series_id IN (SELECT series_id FROM samples_late)
  AND ts BETWEEN (SELECT min(ts) FROM samples_late) AND (SELECT max(ts) FROM samples_late)
  AND (series_id, ts) IN (SELECT series_id, ts FROM samples_late)`;

/** One thread reads in the order in which they came, so the first of a time stays. */
const FIRST_OF_EACH = `SELECT metric_id, series_id, ts, value FROM samples_late LIMIT 1 BY series_id, ts SETTINGS max_threads = 1`;

/**
 * Inserts a file of late samples: of a series and a time that is stored already, the stored one stays. All of it may be done
 * again after a crash at any point. Calls must come one after the other. Returns what was dropped for having another value.
 */
export async function insertLateSamples(
  port: ClickHousePort,
  insert: { file: string; token: string },
  options: CallOptions,
): Promise<DuplicateValues | undefined> {
  const run = (text: string) => port.run({ text, params: {} }, options);
  await run('TRUNCATE TABLE samples_late');
  const token = `${insert.token}.${randomBytes(6).toString('hex')}`;
  await port.insertSegment({ table: 'samples_late', file: insert.file, token }, options);
  await run(`INSERT INTO samples (metric_id, series_id, ts, value)
SETTINGS insert_deduplication_token = '${token}', async_insert = 0, max_partitions_per_insert_block = 0
SELECT late.metric_id, late.series_id, late.ts, late.value FROM (${FIRST_OF_EACH}) AS late
LEFT ANTI JOIN (${STORED}) AS stored ON late.series_id = stored.series_id AND late.ts = stored.ts`);
  const [found] = await selectRows(
    port,
    {
      text: `WITH conflicts AS (
  SELECT late.series_id AS id, late.ts AS at, late.value AS dropped, stored.value AS kept FROM samples_late AS late
  LEFT ANY JOIN (${STORED}) AS stored ON late.series_id = stored.series_id AND late.ts = stored.ts
  WHERE reinterpretAsUInt64(late.value) != reinterpretAsUInt64(stored.value))
SELECT c.total, c.at, c.kept, c.dropped, any(s.metric) AS metric, any(s.labels) AS labels FROM
  (SELECT count() AS total, any(id) AS id, any(at) AS at, any(kept) AS kept, any(dropped) AS dropped FROM conflicts) AS c
LEFT JOIN (SELECT series_id, metric, labels FROM series WHERE series_id IN (SELECT id FROM conflicts LIMIT 1)) AS s
  ON s.series_id = c.id
GROUP BY c.total, c.at, c.kept, c.dropped`,
      params: {},
    },
    options,
  );
  await run('TRUNCATE TABLE samples_late');
  const count = Number(found?.total ?? 0);
  if (found === undefined || count === 0) return undefined;
  const labels = found.labels instanceof Map ? found.labels : new Map();
  const example = {
    metric: String(found.metric),
    labels,
    timeMs: Number(found.at),
    kept: Number(found.kept),
    dropped: Number(found.dropped),
  };
  return { count, example };
}

/** How new the stored samples are; times in ms since the epoch. */
export interface NewestSamples {
  /** No series but those below has a newer one; -Infinity without samples. */
  newestMs: number;
  /** Series whose newest sample is newer than that: of senders whose clocks run ahead. */
  ahead: { id: Hash64; timeMs: number }[];
}

const MOST_AHEAD = 10_000;

/** Series with samples after `nowMs` are told apart, unless they are very many: one wrong clock says nothing of the others. */
export async function newestSamples(port: ClickHousePort, nowMs: number, options: CallOptions): Promise<NewestSamples> {
  const [row] = await selectRows(port, { text: 'SELECT count() AS c, max(ts) AS t FROM samples', params: {} }, options);
  const newestMs = Number(row?.c ?? 0) === 0 ? Number.NEGATIVE_INFINITY : Number(row?.t);
  if (newestMs <= nowMs) return { newestMs, ahead: [] };
  const text = `SELECT toUInt32(bitAnd(series_id, 0xffffffff)) AS low, toUInt32(bitShiftRight(series_id, 32)) AS high, max(ts) AS t
FROM samples WHERE ts > fromUnixTimestamp64Milli({now:Int64}, 'UTC') GROUP BY series_id LIMIT ${MOST_AHEAD + 1}`;
  const rows = await selectRows(port, { text, params: { now: Math.floor(nowMs) } }, options);
  if (rows.length > MOST_AHEAD) return { newestMs, ahead: [] };
  const ahead = rows.map(({ low, high, t }) => ({ id: { low: Number(low), high: Number(high) }, timeMs: Number(t) }));
  return { newestMs: nowMs, ahead };
}
