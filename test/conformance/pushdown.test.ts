import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everything, labelSetFrom, type SampleBatch, setStaleAt } from '../../src/model/index.ts';
import type { QueryResult, QueryValue } from '../../src/query/index.ts';
import { type StoreTarget, storeTarget } from './targets.ts';

/** A grid of the store may be off by the order of its additions, which is the last few bits. */
const TOLERANCE = 1e-12;

let target: StoreTarget;
beforeAll(async () => {
  target = await storeTarget();
  await target.load({ samples: generatedSamples() });
});
afterAll(() => target.close());

test('generated queries have the same answer with pushdown and without', async () => {
  await fc.assert(
    fc.asyncProperty(queries(), async ({ query, startMs, stepMs, steps }) => {
      const range = { query, startMs, endMs: startMs + (steps - 1) * stepMs, stepMs, scope: everything };
      const [pushed, plain] = await Promise.all([
        outcome(target.engine.range(range)),
        outcome(target.plain.engine.range(range)),
      ]);
      compare(pushed, plain);
    }),
    { numRuns: 250, seed: 7 },
  );
}, 120_000);

async function outcome(answer: Promise<QueryResult>): Promise<QueryResult | string> {
  return answer.catch((error: unknown) => String(error));
}

function compare(pushed: QueryResult | string, plain: QueryResult | string): void {
  if (typeof pushed === 'string' || typeof plain === 'string') return void expect(pushed).toEqual(plain);
  expect(pushed.infos).toEqual(plain.infos);
  expect(pushed.warnings).toEqual(plain.warnings);
  const [left, right] = [points(pushed.value), points(plain.value)];
  expect([...left.keys()]).toEqual([...right.keys()]);
  for (const [key, value] of left) {
    const other = right.get(key) ?? 0;
    if (Object.is(value, other) || Math.abs(value - other) <= TOLERANCE * Math.abs(other)) continue;
    expect({ key, value }).toEqual({ key, value: other });
  }
}

function points(value: QueryValue): Map<string, number> {
  if (value.kind !== 'matrix') throw new Error('a range query gives a matrix');
  return new Map(
    value.series.flatMap(({ labels, timesMs, values }) =>
      [...values].map((number, i) => [`${labels.join(' ')} @${timesMs[i]}`, number] as const),
    ),
  );
}

/** Every modifier with every way a selector can be pushed down. */
function queries() {
  const duration = fc.constantFrom('30s', '1m', '2m30s', '5m', '17m', '1h');
  const selector = fc.constantFrom(
    'm_total',
    'm_total{i=~"[0-4]"}',
    'm_total{i!="3"}',
    '{__name__=~"m_.*"}',
    'm_gauge',
    'm_none',
  );
  const offset = fc.oneof(
    fc.constant(''),
    duration.map((text) => ` offset ${text}`),
    duration.map((text) => ` offset -${text}`),
  );
  const at = fc.constantFrom('', ' @ 1500', ' @ 1234.567', ' @ start()', ' @ end()', ' @ 0');
  const shift = fc.tuple(offset, at).map(([a, b]) => a + b);
  const ranged = fc
    .tuple(
      fc.constantFrom(
        'rate',
        'increase',
        'delta',
        'irate',
        'idelta',
        'resets',
        'changes',
        'sum_over_time',
        'last_over_time',
      ),
      selector,
      duration,
      shift,
    )
    .map(([name, inner, range, moved]) => `${name}(${inner}[${range}]${moved})`);
  const instant = fc.tuple(selector, shift).map(([inner, moved]) => inner + moved);
  const leaf = fc.oneof(ranged, instant);
  const aggregated = fc
    .tuple(
      fc.constantFrom('sum', 'count', 'max', 'avg'),
      fc.constantFrom('', ' by (g)', ' without (i)', ' by (__name__, g)'),
      leaf,
    )
    .map(([op, grouping, inner]) => `${op}${grouping} (${inner})`);
  const subquery = fc
    .tuple(
      fc.constantFrom('max_over_time', 'rate'),
      fc.oneof(leaf, aggregated),
      duration,
      fc.constantFrom('', '45s', '2m'),
      shift,
    )
    .map(([name, inner, range, step, moved]) => `${name}((${inner})[${range}:${step}]${moved})`);
  const query = fc.oneof(
    leaf,
    aggregated,
    subquery,
    fc.tuple(aggregated, aggregated).map(([a, b]) => `${a} / ${b}`),
  );
  return fc.record({
    query,
    startMs: fc.integer({ min: -600_000, max: 4_200_000 }),
    stepMs: fc.constantFrom(1, 999, 7_500, 15_000, 60_000, 333_333),
    steps: fc.integer({ min: 1, max: 40 }),
  });
}

/** Series with jitter, gaps, resets, stale markers, NaN, infinities and samples that came twice; from before the epoch on. */
function generatedSamples(): SampleBatch {
  const series = Array.from({ length: 16 }, (_, i) => ({
    labels: labelSetFrom({ __name__: i < 10 ? 'm_total' : 'm_gauge', i: String(i), g: String(i % 3) }),
    cluster: 'prod',
  }));
  const random = seeded(42);
  const samples: { series: number; time: number; value: number; stale: boolean }[] = [];
  for (let index = 0; index < series.length; index++) {
    let value = Math.floor(random() * 1000);
    for (let time = -300_000; time < 3_600_000; time += 15_000) {
      const chance = random();
      if (chance < 0.03) time += Math.floor(random() * 600_000);
      value = chance < 0.05 ? Math.floor(random() * 5) : value + random() * 50;
      const special =
        chance > 0.985
          ? [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY][Math.floor(random() * 3)]
          : undefined;
      const jittered = index % 2 === 0 ? time : time + Math.floor(random() * 2_000);
      const sample = { series: index, time: jittered, value: special ?? value, stale: chance > 0.97 && chance < 0.98 };
      samples.push(sample);
      if (chance > 0.6 && chance < 0.65) samples.push(sample);
    }
  }
  const values = Float64Array.from(samples, ({ value }) => value);
  for (const [i, { stale }] of samples.entries()) if (stale) setStaleAt(values, i);
  return {
    series,
    seriesOf: Uint32Array.from(samples, (sample) => sample.series),
    timesMs: Float64Array.from(samples, ({ time }) => time),
    values,
  };
}

/** A generator of its own, so that the data are the same on every machine (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
