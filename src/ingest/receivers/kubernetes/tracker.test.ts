import { describe, expect, test } from 'vitest';
import type { ObjectVersion } from '../../../model/index.ts';
import { type ApiObject, toApiObject } from './api-object.ts';
import { RESOURCES, type Resource } from './resources.ts';
import { createTracker } from './tracker.ts';

const NOW = Date.parse('2026-12-01T12:00:00.500Z');
const second = 1000;
const day = 86_400 * second;
const iso = (ms: number) => new Date(ms).toISOString();

function resource(kind: string): Resource {
  const found = RESOURCES.find((candidate) => candidate.kind === kind);
  if (!found) throw new Error(`${kind} is not watched`);
  return found;
}

function node(more: { metadata?: object; status?: object; spec?: object } = {}, version = '1'): ApiObject {
  const object = toApiObject({
    metadata: {
      name: 'gpu-1',
      uid: 'u1',
      resourceVersion: version,
      creationTimestamp: iso(NOW - 3600 * second),
      ...more.metadata,
    },
    spec: more.spec ?? {},
    status: more.status ?? {},
  });
  if (!object) throw new Error('not an object');
  return object;
}

const bodyOf = (version: ObjectVersion | undefined) => JSON.parse(version?.body ?? '{}');

describe('what is no new version', () => {
  const rows: [string, ApiObject, ApiObject][] = [
    [
      'a heartbeat',
      node({ status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: 'a' }] } }),
      node({ status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: 'b' }] } }, '2'),
    ],
    ['managed fields', node(), node({ metadata: { managedFields: [{ manager: 'x' }] } }, '2')],
    [
      'what kubectl applied last',
      node({ metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } } }),
      node({ metadata: { annotations: {} } }, '2'),
    ],
    ['images of a node', node({ status: { images: [1] } }), node({ status: { images: [1, 2] } }, '2')],
  ];
  test.each(rows)('%s', (_, first, second) => {
    const tracker = createTracker('eu', resource('Node'), []);
    expect(tracker.see(first, NOW)).toBeDefined();
    expect(tracker.see(second, NOW + 1)).toBeUndefined();
  });
});

describe('since when a version holds', () => {
  const tracker = (known = NOW - 60 * second) => {
    const one = createTracker('eu', resource('Node'), []);
    one.see(node(), known);
    return one;
  };
  const later = (more: Parameters<typeof node>[0], arrival = NOW) =>
    tracker().see(node({ spec: { a: 1 }, ...more }, '2'), arrival)?.validFromMs;

  test('the first one since the object was made, but no further back than stores take', () => {
    const first = (createdMs: number) =>
      createTracker('eu', resource('Node'), []).see(node({ metadata: { creationTimestamp: iso(createdMs) } }), NOW)
        ?.validFromMs;
    expect(first(NOW - 3600 * second)).toBe(NOW - 3600 * second);
    expect(first(NOW - 400 * day)).toBe(NOW - 6 * day);
    expect(first(NOW + day)).toBe(NOW);
  });
  test('a later one since its arrival, when that is about what it says', () => {
    expect(later({})).toBe(NOW);
    expect(later({ metadata: { managedFields: [{ manager: 'm', time: iso(NOW - second) }] } })).toBe(NOW);
  });
  test('a later one since the newest time in it, when it comes late', () => {
    expect(later({ metadata: { managedFields: [{ manager: 'm', time: iso(NOW - 30 * second) }] } })).toBe(
      NOW - 30 * second,
    );
    expect(later({ status: { conditions: [{ type: 'Ready', lastTransitionTime: iso(NOW - 20 * second) }] } })).toBe(
      NOW - 20 * second,
    );
  });
  test('never before the object was last seen to be otherwise', () => {
    expect(later({ metadata: { managedFields: [{ manager: 'm', time: iso(NOW - 600 * second) }] } })).toBe(NOW);
  });
  test('an end after the last version, whatever the clock says', () => {
    const one = tracker();
    expect(one.end(node(), NOW - 2 * day)?.validFromMs).toBe(NOW - 3600 * second + 1);
  });
});

test('who changed it, but not who only reported its status', () => {
  const tracker = createTracker('eu', resource('Node'), []);
  tracker.see(node(), NOW - 60 * second);
  const fields = (time: number) => [
    { manager: 'kubelet', subresource: 'status', time: iso(NOW) },
    { manager: 'kubectl-cordon', time: iso(time) },
  ];
  const cordoned = node({ spec: { unschedulable: true }, metadata: { managedFields: fields(NOW - 2 * second) } }, '2');
  expect(bodyOf(tracker.see(cordoned, NOW)).trifocal).toEqual({ changedBy: 'kubectl-cordon' });
  const status = node(
    { spec: { unschedulable: true }, status: { x: 1 }, metadata: { managedFields: fields(NOW - 2 * second) } },
    '3',
  );
  expect(bodyOf(tracker.see(status, NOW + 30 * second))).not.toHaveProperty('trifocal');
});

test('a live object is written again before retention could drop it', () => {
  const tracker = createTracker('eu', resource('Node'), []);
  tracker.see(node(), NOW);
  expect(tracker.see(node(), NOW + day)).toBeUndefined();
  expect(tracker.see(node(), NOW + 3 * day)).toMatchObject({ validFromMs: NOW + 3 * day, deleted: false });
});

test('events expire without an end', () => {
  const tracker = createTracker('eu', resource('Event'), []);
  tracker.see(node(), NOW);
  expect(tracker.end(node(), NOW)).toBeUndefined();
  tracker.see(node({}, '2'), NOW);
  tracker.beginList();
  expect(tracker.endList(NOW)).toEqual([]);
  expect(tracker.size).toBe(0);
});

test("a relist's end keeps who the object belonged to", () => {
  const tracker = createTracker('eu', resource('Pod'), []);
  tracker.see(node({ metadata: { labels: { app: 'a' }, ownerReferences: [{ kind: 'ReplicaSet', name: 'r' }] } }), NOW);
  tracker.beginList();
  const [end] = tracker.endList(NOW + 5);
  expect(end).toMatchObject({ deleted: true, name: 'gpu-1', validFromMs: NOW + 5 });
  expect(bodyOf(end).metadata).toMatchObject({
    labels: { app: 'a' },
    ownerReferences: [{ kind: 'ReplicaSet', name: 'r' }],
  });
});

test('what is no object is told apart', () => {
  for (const value of [
    null,
    1,
    [],
    {},
    { metadata: {} },
    { metadata: { name: 'x' } },
    { metadata: { name: 'x', uid: '' } },
  ]) {
    expect(toApiObject(value)).toBeUndefined();
  }
});
