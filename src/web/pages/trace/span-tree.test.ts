import { expect, it } from 'vitest';
import { layOutSpans } from './span-tree.ts';

const span = (spanId: string, parentSpanId: string, startMs: number, durationMs: number) => ({
  spanId,
  parentSpanId,
  service: 's',
  name: spanId,
  kind: 'server',
  status: 'ok',
  statusMessage: '',
  startedAt: '2026-01-01T00:00:00.000Z',
  startNs: `${1_700_000_000_000 + startMs}000000`,
  durationSeconds: durationMs / 1000,
  entity: '',
  attributes: {},
  resource: {},
  scope: { name: '', version: '', attributes: {}, schemaUrl: '' },
  traceState: '',
  flags: 0,
  links: [],
  events: [],
});
const shape = (spans: ReturnType<typeof span>[]) =>
  layOutSpans(spans).rows.map((r) => `${'.'.repeat(r.depth)}${r.span.spanId}${r.isOrphan ? '?' : ''}`);

it('puts each span under its parent, siblings by start', () => {
  expect(shape([span('c', 'a', 50, 10), span('a', '', 0, 100), span('b', 'a', 10, 20), span('d', 'b', 12, 5)])).toEqual(
    ['a', '.b', '..d', '.c'],
  );
});

it('hides nobody whose parent is missing or goes in circles', () => {
  expect(shape([span('a', '', 0, 10), span('x', 'gone', 2, 3)])).toEqual(['a', 'x?']);
  expect(shape([span('a', 'b', 0, 10), span('b', 'a', 1, 3)]).length).toBe(2);
  expect(shape([span('a', 'a', 0, 10)])).toEqual(['a']);
});

it('counts self time without the union of children', () => {
  const { rows, total } = layOutSpans([span('a', '', 0, 100), span('b', 'a', 10, 30), span('c', 'a', 20, 40)]);
  expect(rows[0]?.self).toBeCloseTo(0.05);
  expect(total).toBeCloseTo(0.1);
});

it('lays out ten thousand spans in one chain', () => {
  const deep = Array.from({ length: 10_000 }, (_, i) => span(`s${i}`, i === 0 ? '' : `s${i - 1}`, i, 10));
  expect(layOutSpans(deep).rows.at(-1)?.depth).toBe(9999);
});
