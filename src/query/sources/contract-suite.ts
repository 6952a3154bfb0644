import { expect, test } from 'vitest';
import {
  everything,
  isStaleAt,
  labelRecord,
  labelSetFrom,
  type NativeHistogram,
  type SampleBatch,
  type Scope,
  type SignalBatch,
  setStaleAt,
  staleHistogram,
} from '../../model/index.ts';
import { type Matcher, type MetricSource, type ReadOptions, SourceLimitError } from './contract.ts';

/** What every source of metrics has to do. `open` gives a source that holds exactly what is in the batch. */
export function describeMetricSource(open: (batch: SignalBatch) => Promise<MetricSource>): void {
  const read: ReadOptions = { limits: { seconds: 30, memoryBytes: 1024 ** 3, series: 100, samples: 1000 } };
  const source = async () => open({ samples: batchOfAll(), ...histogramsAndExemplars() });
  const named = (name: string, ...more: Matcher[]): Matcher[] => [{ name: '__name__', op: '=', value: name }, ...more];

  test('samples of a left-open window, in order, without a series that has none', async () => {
    const columns = await (await source()).samples(
      { matchers: named('load'), afterMs: 0, throughMs: 20_000, scope: everything },
      read,
    );
    expect(asObject(columns.series.map(labelRecord), columns)).toEqual({
      'eu/web/a': [
        [10_000, 1],
        [20_000, 2],
      ],
      'us/web/b': [[10_000, 5]],
    });
  });

  test('stale markers arrive bit for bit', async () => {
    const columns = await (await source()).samples(
      {
        matchers: named('load', { name: 'pod', op: '=', value: 'b' }),
        afterMs: 20_000,
        throughMs: 30_000,
        scope: everything,
      },
      read,
    );
    expect(columns.timesMs).toEqual(Float64Array.of(30_000));
    expect(isStaleAt(columns.values, 0)).toBe(true);
  });

  test('native histograms lie among the numbers of their series, and end with a stale marker', async () => {
    const columns = await (await source()).samples(
      { matchers: named('latency'), afterMs: 0, throughMs: 60_000, scope: everything },
      read,
    );
    expect(columns.series).toHaveLength(1);
    expect([...columns.timesMs]).toEqual([10_000, 20_000, 30_000]);
    expect(columns.histograms).toEqual([undefined, histogram, undefined]);
    expect(columns.values[0]).toBe(3);
    expect(isStaleAt(columns.values, 2)).toBe(true);
  });

  test('where native histograms are a grid is not complete', async () => {
    const { grid } = await source();
    const request = {
      matchers: named('latency'),
      scope: everything,
      function: 'last',
      windowMs: 5000,
      startMs: 0,
      stepMs: 10_000,
    } as const;
    if (grid === undefined) return;
    expect(await grid.evaluate({ ...request, steps: 2 }, read)).not.toHaveProperty('incomplete');
    expect(await grid.evaluate({ ...request, steps: 3 }, read)).toMatchObject({ incomplete: true });
  });

  test('exemplars of the series that any selector finds, once, within both bounds and the scope', async () => {
    const opened = await source();
    const selectors = [named('latency'), named('latency', { name: 'pod', op: '=', value: 'a' }), named('load')];
    const ask = async (scope: Scope, from = 0) =>
      (await opened.exemplars({ selectors, range: { from, to: 20_000 }, scope }, read)).map(
        ({ series, timeMs, value, labels }) => [
          labelRecord(series.labels).__name__,
          timeMs,
          value,
          labelRecord(labels),
        ],
      );
    expect(await ask(everything)).toEqual([
      ['latency', 0, 0.5, { trace_id: 'abc' }],
      ['latency', 20_000, 0.25, { trace_id: 'def', http_route: '/ü' }],
    ]);
    expect(await ask(everything, 1)).toHaveLength(1);
    expect(await ask(limited({ name: 'eu', namespaces: ['web'] }))).toHaveLength(2);
    expect(await ask(limited({ name: 'eu', namespaces: ['other'] }))).toEqual([]);
    expect(await ask(limited({ name: 'us' }))).toEqual([]);
  });

  test('a sample that came twice is one', async () => {
    const columns = await (await source()).samples(
      { matchers: named('twice'), afterMs: -1, throughMs: 60_000, scope: everything },
      read,
    );
    expect([...columns.timesMs]).toEqual([0, 10_000]);
    expect([...columns.values]).toEqual([7, 8]);
  });

  test.each<[string, Matcher, string[]]>([
    ['equal', { name: 'pod', op: '=', value: 'a' }, ['eu/web/a']],
    ['equal to nothing', { name: 'pod', op: '=', value: '' }, ['eu//']],
    ['unequal', { name: 'pod', op: '!=', value: 'a' }, ['eu//', 'us/web/b']],
    ['regex', { name: 'pod', op: '=~', value: '[ab]' }, ['eu/web/a', 'us/web/b']],
    ['regex of plain texts', { name: 'pod', op: '=~', value: 'b|c|' }, ['eu//', 'us/web/b']],
    ['not regex', { name: 'pod', op: '!~', value: 'a.*' }, ['eu//', 'us/web/b']],
    ['the cluster of series without such a label', { name: 'cluster', op: '=', value: 'eu' }, ['eu//', 'eu/web/a']],
    ['a quote that would end a string', { name: 'pod', op: '=', value: "'; DROP TABLE series; --" }, []],
  ])('matchers: %s', async (_, matcher, wanted) => {
    const columns = await (await source()).samples(
      { matchers: named('load', matcher), afterMs: -1, throughMs: 60_000, scope: everything },
      read,
    );
    expect(columns.series.map((labels) => keyOf(labelRecord(labels))).sort()).toEqual(wanted);
  });

  test.each<[string, Scope, string[]]>([
    ['everything', everything, ['eu//', 'eu/web/a', 'us/web/b']],
    ['one whole cluster', limited({ name: 'eu' }), ['eu//', 'eu/web/a']],
    ['one namespace: nothing that has none', limited({ name: 'eu', namespaces: ['web'] }), ['eu/web/a']],
    ['a namespace of another cluster', limited({ name: 'us', namespaces: ['data'] }), []],
    ['an empty namespace is no namespace', limited({ name: 'eu', namespaces: [''] }), []],
    ['two clusters', limited({ name: 'eu', namespaces: ['web'] }, { name: 'us' }), ['eu/web/a', 'us/web/b']],
    ['nothing at all', limited(), []],
  ])('scope: %s', async (_, scope, wanted) => {
    const opened = await source();
    const columns = await opened.samples({ matchers: named('load'), afterMs: -1, throughMs: 60_000, scope }, read);
    expect(columns.series.map((labels) => keyOf(labelRecord(labels))).sort()).toEqual(wanted);
    const listed = await opened.series({ selectors: [named('load')], scope }, read);
    expect(listed.items.map((labels) => keyOf(labelRecord(labels))).sort()).toEqual(wanted);
    const values = await opened.labelValues({ selectors: [], name: 'pod', scope }, read);
    expect(values.items).toEqual(
      wanted
        .map((key) => key.split('/')[2])
        .filter((pod) => pod !== '')
        .sort(),
    );
    if (opened.grid) {
      const grid = await opened.grid.evaluate(
        { matchers: named('load'), function: 'last', windowMs: 60_000, startMs: 20_000, stepMs: 1, steps: 1, scope },
        read,
      );
      expect(grid.series.map((labels) => keyOf(labelRecord(labels))).sort()).toEqual(wanted);
    }
  });

  test('names and values are sorted, cut at the limit and say so', async () => {
    const opened = await source();
    expect(await opened.labelNames({ selectors: [named('load')], scope: everything }, read)).toEqual({
      items: ['__name__', 'namespace', 'pod'],
      truncated: false,
    });
    expect(await opened.labelNames({ selectors: [], scope: everything, limit: 2 }, read)).toMatchObject({
      truncated: true,
    });
    expect(await opened.labelValues({ selectors: [], name: '__name__', scope: everything }, read)).toEqual({
      items: ['latency', 'load', 'twice'],
      truncated: false,
    });
    expect(await opened.labelValues({ selectors: [], name: 'cluster', scope: everything }, read)).toEqual({
      items: ['eu', 'us'],
      truncated: false,
    });
    expect(
      (await opened.series({ selectors: [named('load'), named('twice')], scope: everything, limit: 3 }, read))
        .truncated,
    ).toBe(true);
  });

  test('series of a time at which there are none', async () => {
    const day = 86_400_000;
    const found = await (await source()).series(
      { selectors: [], range: { from: 10 * day, to: 11 * day }, scope: everything },
      read,
    );
    expect(found.items).toEqual([]);
  });

  test('limits are errors that say which', async () => {
    const opened = await source();
    const request = { matchers: named('load'), afterMs: -1, throughMs: 60_000, scope: everything };
    await expect(opened.samples(request, { limits: { ...read.limits, series: 2 } })).rejects.toMatchObject({
      limit: 'series',
    });
    await expect(opened.samples(request, { limits: { ...read.limits, samples: 2 } })).rejects.toThrow(SourceLimitError);
  });
}

function limited(...clusters: { name: string; namespaces?: string[] }[]): Scope {
  return { kind: 'limited', clusters };
}

function keyOf(record: Record<string, string>): string {
  const cluster = record.pod === 'b' ? 'us' : 'eu';
  return `${cluster}/${record.namespace ?? ''}/${record.pod ?? ''}`;
}

function asObject(
  records: Record<string, string>[],
  columns: { offsets: Uint32Array; timesMs: Float64Array; values: Float64Array },
) {
  return Object.fromEntries(
    records.map((record, i) => {
      const [from, to] = [columns.offsets[i] ?? 0, columns.offsets[i + 1] ?? 0];
      return [
        keyOf(record),
        Array.from({ length: to - from }, (_, k) => [columns.timesMs[from + k], columns.values[from + k]]),
      ];
    }),
  );
}

const histogram: NativeHistogram = {
  schema: 2,
  integer: true,
  resetHint: 'no',
  stale: false,
  count: 4,
  sum: 1.5,
  zeroThreshold: 0.001,
  zeroCount: 1,
  positive: { spans: [{ offset: -2, length: 2 }], counts: [1, 2] },
  negative: { spans: [], counts: [] },
  customBounds: [],
};

/** A series that has numbers, then histograms, and exemplars. */
function histogramsAndExemplars(): Pick<SignalBatch, 'histograms' | 'exemplars'> {
  const series = { labels: labelSetFrom({ __name__: 'latency', namespace: 'web', pod: 'a' }), cluster: 'eu' };
  const exemplar = { series, timeMs: 0, value: 0.5, labels: labelSetFrom({ trace_id: 'abc' }) };
  return {
    histograms: {
      series: [series],
      seriesOf: new Uint32Array(3),
      timesMs: Float64Array.of(20_000, 30_000, 20_000),
      values: [histogram, staleHistogram, histogram],
    },
    exemplars: [
      exemplar,
      { ...exemplar, timeMs: 20_000, value: 0.25, labels: labelSetFrom({ trace_id: 'def', http_route: '/ü' }) },
      { ...exemplar, timeMs: 20_001 },
    ],
  };
}

/** Pods in two clusters and a series of no namespace; the clusters are no labels. */
function batchOfAll(): SampleBatch {
  const samples: [series: number, timeMs: number, value: number][] = [
    [0, 0, 0], [0, 20_000, 2], [0, 10_000, 1],
    [1, 10_000, 5], [1, 30_000, 0],
    [2, 0, 9],
    [3, 0, 7], [3, 0, 7], [3, 10_000, 8],
    [4, 10_000, 3],
  ]; // biome-ignore format: a table to read
  const values = Float64Array.from(samples, ([, , value]) => value);
  setStaleAt(values, 4);
  return {
    series: [
      { labels: labelSetFrom({ __name__: 'load', namespace: 'web', pod: 'a' }), cluster: 'eu' },
      { labels: labelSetFrom({ __name__: 'load', namespace: 'web', pod: 'b' }), cluster: 'us' },
      { labels: labelSetFrom({ __name__: 'load' }), cluster: 'eu' },
      { labels: labelSetFrom({ __name__: 'twice' }), cluster: 'eu' },
      { labels: labelSetFrom({ __name__: 'latency', namespace: 'web', pod: 'a' }), cluster: 'eu' },
    ],
    seriesOf: Uint32Array.from(samples, ([series]) => series),
    timesMs: Float64Array.from(samples, ([, time]) => time),
    values,
  };
}
