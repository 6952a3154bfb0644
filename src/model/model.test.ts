import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compareLabels, createSnapshot, dropLabels, type Entity, everything, formatLabels, formatRef, isStaleAt, keepLabels, labelKey,
  labelRecord, labelSet, labelSetFrom, labelValue, parseDuration, parseRef, parseTime, parseTimeNs, scopeAllows, setStaleAt, withLabel,
} from './index.ts'; // biome-ignore format: one list

test('label sets are sorted, without empty values, and equal whatever the order was', () => {
  const labels = labelSet([
    ['b', '2'],
    ['__name__', 'up'],
    ['a', ''],
    ['__proto__', 'x'],
  ]);
  expect(labels).toEqual(['__name__', 'up', '__proto__', 'x', 'b', '2']);
  expect(labelValue(labels, '__proto__')).toBe('x');
  expect(labelValue(labels, 'a')).toBe('');
  expect(Object.keys(labelRecord(labels))).toEqual(['__name__', '__proto__', 'b']);
  expect(formatLabels(labels)).toBe('up{__proto__="x", b="2"}');
  expect(labelKey(labelSetFrom({ b: '2', a: '1' }))).toBe(labelKey(labelSetFrom({ a: '1', b: '2' })));
  expect(keepLabels(labels, new Set(['b']))).toEqual(['b', '2']);
  expect(dropLabels(labels, new Set(['b', '__proto__']))).toEqual(['__name__', 'up']);
  expect(withLabel(labels, 'b', '')).toEqual(['__name__', 'up', '__proto__', 'x']);
  expect(compareLabels(labelSetFrom({ a: '1' }), labelSetFrom({ a: '1', b: '1' }))).toBeLessThan(0);
});

test('references survive any name', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), fc.string({ minLength: 1 }), (cluster, namespace, name) => {
      const parsed = parseRef(formatRef('pod', cluster, namespace, name));
      expect(parsed).toMatchObject({ kind: 'pod', cluster, namespace, name });
    }),
  );
  expect(formatRef('gpu', 'prod-eu', '', 'GPU-5f2c')).toBe('gpu:prod-eu/-/GPU-5f2c');
  expect(parseRef('service:prod-eu/-/gateway?tenant=acme')?.attributes).toEqual({ tenant: 'acme' });
  for (const bad of ['', 'pod', 'pod:a/b', 'pod:a/b/c/d', 'thing:a/b/c', 'pod:a/%zz/c'])
    expect(parseRef(bad)).toBeUndefined();
});

test('a time in nanoseconds is exact', () => {
  expect(parseTimeNs('2026-12-01T14:46:59.123456789Z')).toBe(1_796_136_419_123_456_789n);
  expect(parseTimeNs('2026-12-01T15:46:59.1+01:00')).toBe(1_796_136_419_100_000_000n);
  expect(parseTimeNs('1969-12-31T23:59:59.999999999Z')).toBe(-1n);
  for (const bad of [
    '',
    '2026-12-01',
    '2026-13-01T00:00:00Z',
    '2026-12-01T14:46:59.1234567890Z',
    '2026-12-01 14:46:59Z',
  ])
    expect(parseTimeNs(bad)).toBeUndefined();
});

test('times and durations as users write them', () => {
  expect(parseTime('now-15m', 1_000_000)).toBe(100_000);
  expect(parseTime('1700000000.5', 0)).toBe(1_700_000_000_500);
  expect(parseTime('2026-12-01T12:00:00+01:00', 0)).toBe(Date.UTC(2026, 11, 1, 11));
  expect(parseTime('-1', 0)).toBe(-1000);
  for (const bad of ['', 'yesterday', 'now-', 'now-1', '2026-12-01', '12:00'])
    expect(parseTime(bad, 0)).toBeUndefined();
  expect(parseDuration('1h30m')).toBe(5_400_000);
  for (const bad of ['', '5', '1x', '-1m', '1m1h']) expect(parseDuration(bad)).toBeUndefined();
});

test('the stale marker is told from other NaNs', () => {
  const values = new Float64Array([Number.NaN, 1, 0]);
  setStaleAt(values, 2);
  expect([0, 1, 2].map((i) => isStaleAt(values, i))).toEqual([false, false, true]);
  const copy = new Float64Array(3);
  copy.set(values);
  expect(isStaleAt(copy, 2)).toBe(true);
});

test('a scope with namespaces sees these and nothing of the cluster itself', () => {
  const scope = { kind: 'limited', clusters: [{ name: 'eu', namespaces: ['inference'] }, { name: 'us' }] } as const;
  expect(scopeAllows(scope, 'eu', 'inference')).toBe(true);
  expect(scopeAllows(scope, 'eu', 'data')).toBe(false);
  expect(scopeAllows(scope, 'eu', undefined)).toBe(false);
  expect(scopeAllows(scope, 'us', undefined)).toBe(true);
  expect(scopeAllows(scope, 'asia', 'inference')).toBe(false);
  expect(scopeAllows(everything, 'asia', undefined)).toBe(true);
});

test('a snapshot walks relations and hides what a scope may not see', () => {
  const entity = (kind: Entity['kind'], namespace: string, name: string): Entity => ({
    ref: formatRef(kind, 'eu', namespace, name), kind, cluster: 'eu', namespace, name, uid: '', health: { status: 'ok', reasons: [] }, labels: {}, facts: {},
  }); // biome-ignore format: one record
  const [workload, pod, node] = [
    entity('workload', 'inference', 'llama'),
    entity('pod', 'inference', 'llama-0'),
    entity('node', '', 'gpu-1'),
  ];
  const relations = [
    { kind: 'contains', from: workload.ref, to: pod.ref, confidence: 'exact' },
    { kind: 'runs-on', from: pod.ref, to: node.ref, confidence: 'exact' },
  ] as const;
  const all = createSnapshot(0, [workload, pod, node], relations, everything);
  expect(all.to('model:eu/inference/llama?model=x', 'contains', 'pod')).toEqual([pod]);
  expect(all.from(node.ref, 'runs-on')).toEqual([pod]);
  const limited = createSnapshot(0, [workload, pod, node], relations, {
    kind: 'limited',
    clusters: [{ name: 'eu', namespaces: ['inference'] }],
  });
  expect(limited.get(node.ref)).toBeUndefined();
  expect(limited.to(pod.ref, 'runs-on')).toEqual([]);
});
