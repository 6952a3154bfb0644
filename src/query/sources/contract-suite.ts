import { expect, test } from 'vitest';
import {
  everything,
  isStaleAt,
  labelRecord,
  labelSetFrom,
  type SampleBatch,
  type Scope,
  setStaleAt,
} from '../../model/index.ts';
import { type Matcher, type MetricSource, type ReadOptions, SourceLimitError } from './contract.ts';

/** What every source of metrics has to do. `open` gives a source that holds exactly the samples of the batch. */
export function describeMetricSource(open: (batch: SampleBatch) => Promise<MetricSource>): void {
  const read: ReadOptions = { limits: { seconds: 30, memoryBytes: 1024 ** 3, series: 100, samples: 1000 } };
  const source = async () => open(batchOfAll());
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
      items: ['load', 'twice'],
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

/** Pods in two clusters and a series of no namespace; the clusters are no labels. */
function batchOfAll(): SampleBatch {
  const samples: [series: number, timeMs: number, value: number][] = [
    [0, 0, 0], [0, 20_000, 2], [0, 10_000, 1],
    [1, 10_000, 5], [1, 30_000, 0],
    [2, 0, 9],
    [3, 0, 7], [3, 0, 7], [3, 10_000, 8],
  ]; // biome-ignore format: a table to read
  const values = Float64Array.from(samples, ([, , value]) => value);
  setStaleAt(values, 4);
  return {
    series: [
      { labels: labelSetFrom({ __name__: 'load', namespace: 'web', pod: 'a' }), cluster: 'eu' },
      { labels: labelSetFrom({ __name__: 'load', namespace: 'web', pod: 'b' }), cluster: 'us' },
      { labels: labelSetFrom({ __name__: 'load' }), cluster: 'eu' },
      { labels: labelSetFrom({ __name__: 'twice' }), cluster: 'eu' },
    ],
    seriesOf: Uint32Array.from(samples, ([series]) => series),
    timesMs: Float64Array.from(samples, ([, time]) => time),
    values,
  };
}
