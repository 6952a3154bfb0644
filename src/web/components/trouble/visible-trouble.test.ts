import { expect, it } from 'vitest';
import type { Trouble } from '../../../api/contract/index.ts';
import { bannerOf, sourceKeyOf, troubleOf } from './visible-trouble.ts';

const one = (id: string, severity: Trouble['severity'], minute: number, cluster?: string): Trouble => ({
  id,
  severity,
  since: new Date(Date.UTC(2026, 11, 1, 12, minute)).toISOString(),
  words: `${id} is wrong.`,
  fix: 'Look at it.',
  ...(cluster === undefined ? {} : { cluster, source: id.split(' ').at(-1) ?? '' }),
});

const all = [
  one('drops', 'warning', 1),
  one('source-silent otlp eu 10.0.0.7 python', 'warning', 3, 'eu'),
  one('store-down', 'critical', 9),
  one('source-refused loki us 10.0.0.8', 'critical', 2, 'us'),
];
const ids = (trouble: readonly Trouble[]) => trouble.map((t) => t.id.split(' ')[0]);

it.each([
  [undefined, ['source-refused', 'store-down', 'source-silent', 'drops']],
  ['eu', ['store-down', 'source-silent', 'drops']],
  ['us', ['source-refused', 'store-down', 'drops']],
  ['other', ['store-down', 'drops']],
])('of cluster %s it keeps what concerns it: critical first, then sources, then the oldest', (cluster, expected) => {
  expect(ids(troubleOf(all, cluster))).toEqual(expected);
});

it('warnings can be put away, what is critical stays', () => {
  const dismissed = new Set(all.map((t) => t.id));
  expect(ids(bannerOf(all, new Set(['drops'])))).toEqual(['source-silent', 'store-down', 'source-refused']);
  expect(ids(bannerOf(all, dismissed))).toEqual(['store-down', 'source-refused']);
});

it('trouble with a source leads to its row', () => {
  expect(all.map(sourceKeyOf)).toEqual([undefined, 'otlp eu 10.0.0.7 python', undefined, 'loki us 10.0.0.8']);
});
