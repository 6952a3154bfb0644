/**
 * Which keys and codecs suit what is stored: copies the tables of a stopped server's data folder into variants and prints size
 * and read time of each. `npx tsx bench/storage.ts DATA_FOLDER`; the copies are dropped again. Figures are in docs/storage.md.
 */
import { join } from 'node:path';
import { silentLogger, systemClock } from '../src/base/index.ts';
import { openStore, selectRows } from '../src/store/index.ts';

interface Variant {
  name: string;
  /** Column definitions, engine's key and settings of the copy. */
  ddl: string;
}

interface Trial {
  title: string;
  source: string;
  variants: readonly Variant[];
  /** Read by name; `T` stands for the copy. */
  queries: Readonly<Record<string, string>>;
}

const [data] = process.argv.slice(2);
if (!data) throw new Error('usage: npx tsx bench/storage.ts DATA_FOLDER');
const store = await openStore({
  engine: { kind: 'embedded', folder: join(data, 'engine'), memoryBytes: 2 ** 31 },
  retention: { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' },
  clock: systemClock,
  logger: silentLogger,
});
const limits = { seconds: 600, memoryBytes: 2 ** 30 };
const run = (text: string) => store.port.run({ text, params: {} }, { limits });
const rows = (text: string) => selectRows(store.port, { text, params: {} }, { limits });

const samplesKey = 'ORDER BY (metric_id, series_id, ts)';
const sampleColumns = (time: string, value: string, id = 'ZSTD(1)') =>
  `(metric_id UInt32 CODEC(ZSTD(1)), series_id UInt64 CODEC(${id}), ts DateTime64(3, 'UTC') CODEC(${time}), value Float64 CODEC(${value}))`;
const samples = (name: string, time: string, value: string): Variant => ({
  name,
  ddl: `${sampleColumns(time, value)} ENGINE = MergeTree ${samplesKey}`,
});

const busiest = `(SELECT metric_id FROM samples GROUP BY metric_id ORDER BY count() DESC LIMIT 1)`;
const middle = "(SELECT toDateTime64(avg(toUnixTimestamp64Nano(time)) / 1e9, 9, 'UTC') FROM logs)";

const trials: Trial[] = [
  {
    title: 'samples: codec of the value (time Delta, ZSTD)',
    source: 'samples',
    variants: [
      samples('ZSTD(1)', 'Delta(8), ZSTD(1)', 'ZSTD(1)'),
      samples('Delta, ZSTD(1)', 'Delta(8), ZSTD(1)', 'Delta(8), ZSTD(1)'),
      samples('Delta, ZSTD(3)', 'Delta(8), ZSTD(1)', 'Delta(8), ZSTD(3)'),
      samples('Gorilla, ZSTD(1)', 'Delta(8), ZSTD(1)', 'Gorilla, ZSTD(1)'),
      samples('FPC, ZSTD(1)', 'Delta(8), ZSTD(1)', 'FPC, ZSTD(1)'),
      samples('ALP', 'Delta(8), ZSTD(1)', 'ALP'),
      samples('ALP, ZSTD(1)', 'Delta(8), ZSTD(1)', 'ALP, ZSTD(1)'),
    ],
    queries: { 'sum of all values': 'SELECT sum(value) FROM T' },
  },
  {
    title: 'samples: codec of the time (value Delta, ZSTD)',
    source: 'samples',
    variants: [
      samples('ZSTD(1)', 'ZSTD(1)', 'Delta(8), ZSTD(1)'),
      samples('Delta, ZSTD(1)', 'Delta(8), ZSTD(1)', 'Delta(8), ZSTD(1)'),
      samples('DoubleDelta, ZSTD(1)', 'DoubleDelta, ZSTD(1)', 'Delta(8), ZSTD(1)'),
    ],
    queries: { 'max of all times': 'SELECT max(ts) FROM (SELECT ts + 1 AS ts FROM T)' },
  },
  {
    title: 'samples: key',
    source: 'samples',
    variants: [
      samples('(metric_id, series_id, ts)', 'Delta(8), ZSTD(1)', 'Delta(8), ZSTD(1)'),
      {
        name: '(series_id, ts)',
        ddl: `${sampleColumns('Delta(8), ZSTD(1)', 'Delta(8), ZSTD(1)')} ENGINE = MergeTree ORDER BY (series_id, ts)`,
      },
      {
        name: '(metric_id, ts, series_id)',
        ddl: `${sampleColumns('Delta(8), ZSTD(1)', 'Delta(8), ZSTD(1)')} ENGINE = MergeTree ORDER BY (metric_id, ts, series_id)`,
      },
    ],
    queries: {
      'all series of one metric': `SELECT sum(value) FROM T WHERE metric_id IN ${busiest}
        AND series_id IN (SELECT series_id FROM samples WHERE metric_id IN ${busiest})`,
    },
  },
  {
    title: 'logs: key',
    source: 'logs',
    variants: [
      ['(5 min, cluster, namespace, workload, time)', 'toStartOfFiveMinutes(time), cluster, namespace, workload, time'],
      ['(cluster, namespace, workload, time)', 'cluster, namespace, workload, time'],
      ['(time)', 'time'],
    ].map(([name = '', key = '']) => ({ name, ddl: `AS logs ENGINE = MergeTree ORDER BY (${key})` })),
    queries: {
      'newest 100': 'SELECT body FROM T ORDER BY time DESC LIMIT 100',
      'newest 100 of one workload': `SELECT body FROM T WHERE cluster = 'prod-eu' AND namespace = 'inference' AND workload = 'llama-3-70b' ORDER BY time DESC LIMIT 100`,
      'count of ten minutes': `SELECT count() FROM T WHERE time BETWEEN ${middle} - INTERVAL 5 MINUTE AND ${middle} + INTERVAL 5 MINUTE`,
    },
  },
  {
    title: 'logs: words',
    source: 'logs',
    variants: [
      {
        name: 'with the text index',
        ddl: 'AS logs ENGINE = MergeTree ORDER BY (toStartOfFiveMinutes(time), cluster, namespace, workload, time)',
      },
      {
        name: 'without',
        ddl: 'AS logs_without_words ENGINE = MergeTree ORDER BY (toStartOfFiveMinutes(time), cluster, namespace, workload, time)',
      },
    ],
    queries: {
      'a word that is nowhere': `SELECT count() FROM T WHERE hasAllTokens(body, 'nowhereatall')`,
      'a common word': `SELECT count() FROM T WHERE hasAllTokens(body, 'info')`,
      'a part of a word, anywhere': `SELECT count() FROM T WHERE body LIKE '%owhereatal%'`,
    },
  },
  {
    title: 'spans: key',
    source: 'spans',
    variants: [
      [
        '(5 min, cluster, namespace, workload, service, name, start)',
        'toStartOfFiveMinutes(start), cluster, namespace, workload, service, name, start',
      ],
      ['(service, name, start)', 'service, name, start'],
      ['(trace_id, start)', 'trace_id, start'],
    ].map(([name = '', key = '']) => ({ name, ddl: `AS spans ENGINE = MergeTree ORDER BY (${key})` })),
    queries: {
      'slowest 50 of a service': `SELECT trace_id FROM T WHERE service = 'gateway' ORDER BY duration_ns DESC LIMIT 50`,
      'one trace by id': 'SELECT name FROM T WHERE trace_id IN (SELECT max(trace_id) FROM trace_times)',
      'errors a minute by service': `SELECT toStartOfMinute(start) AS minute, service, countIf(status = 'error') FROM T GROUP BY minute, service`,
    },
  },
];

await run('SYSTEM STOP MERGES');
await run('DROP TABLE IF EXISTS logs_without_words');
await run('CREATE TABLE logs_without_words AS logs');
await run('ALTER TABLE logs_without_words DROP INDEX words_index');
for (const trial of trials) {
  const figures = [];
  for (const variant of trial.variants) figures.push(await measure(trial, variant));
  console.log(`\n### ${trial.title}\n\n${markdown(figures)}`);
}
await run('DROP TABLE logs_without_words');
await store.close();

async function measure(trial: Trial, variant: Variant): Promise<Record<string, string>> {
  await run('DROP TABLE IF EXISTS variant');
  await run(`CREATE TABLE variant ${variant.ddl} SETTINGS allow_experimental_codecs = 1`);
  const began = performance.now();
  await run(`INSERT INTO variant SELECT * FROM ${trial.source}`);
  const insertMs = performance.now() - began;
  await run('OPTIMIZE TABLE variant FINAL');
  const [size] =
    await rows(`SELECT sum(rows) AS r, sum(bytes_on_disk) AS b, sum(secondary_indices_compressed_bytes) AS i
FROM system.parts WHERE database = currentDatabase() AND table = 'variant' AND active`);
  const figures: Record<string, string> = {
    variant: variant.name,
    'bytes a row': (Number(size?.b) / Number(size?.r)).toFixed(2),
    'of it indexes': (Number(size?.i) / Number(size?.r)).toFixed(2),
    'copied in, ms': insertMs.toFixed(0),
  };
  for (const [name, text] of Object.entries(trial.queries)) figures[`${name}, ms`] = (await best(text)).toFixed(1);
  await run('DROP TABLE variant');
  return figures;
}

/** The best of seven, so that a busy machine disturbs little. */
async function best(text: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 7; i++) {
    const began = performance.now();
    await rows(`${text.replaceAll(/\bT\b/g, 'variant')} SETTINGS use_query_condition_cache = 0`);
    times.push(performance.now() - began);
  }
  return Math.min(...times);
}

function markdown(figures: readonly Record<string, string>[]): string {
  const names = Object.keys(figures[0] ?? {});
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(names),
    line(names.map(() => '---')),
    ...figures.map((row) => line(names.map((name) => row[name] ?? ''))),
  ].join('\n');
}
