import { afterAll, beforeAll, expect, test } from 'vitest';
import { everything, type ObjectVersion, type Scope } from '../../model/index.ts';
import { openTestStore, type TestStore } from '../testing.ts';
import { createObjectReader, type ObjectReader } from './index.ts';

let db: TestStore;
let objects: ObjectReader;

const T = Date.parse('2026-12-01T10:00:00Z');
const minute = 60_000;

function version(name: string, atMinute: number, more: Partial<ObjectVersion> = {}): ObjectVersion {
  return {
    cluster: 'eu',
    uid: `u-${name}`,
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: 'inference',
    name,
    resourceVersion: String(1000 + atMinute),
    validFromMs: T + atMinute * minute,
    deleted: false,
    body: `{"at":${atMinute}}`,
    ...more,
  };
}

beforeAll(async () => {
  db = await openTestStore();
  objects = createObjectReader(db.store.port);
  await db.insert({
    objects: [
      version('a', 0),
      version('a', 10),
      version('a', 10, { resourceVersion: '1011', body: '{"at":10,"later":true}' }),
      version('a', 20, { deleted: true }),
      version('b', 5, { cluster: 'us' }),
      version('c', 5, { namespace: 'data' }),
      version('n', 5, { kind: 'Node', namespace: '' }),
      version('e', 5, { kind: 'Event' }),
      version('before', -600),
    ],
  });
  // A retry stores the same once more.
  await db.insert({ objects: [version('a', 10)] });
}, 60_000);
afterAll(() => db.close());

const at = async (atMinute: number, scope: Scope = everything) => {
  const heads = await objects.headsAt({ atMs: T + atMinute * minute }, { scope });
  return heads.map((head) => head.name).sort();
};

test('which versions held at a time', async () => {
  expect(await at(-1)).toEqual(['before']);
  expect(await at(0)).toEqual(['a', 'before']);
  expect(await at(19)).toEqual(['a', 'b', 'before', 'c', 'n']);
  expect(await at(20)).toEqual(['b', 'before', 'c', 'n']);
});

test('of two versions with one time the higher resource version holds, once', async () => {
  const heads = await objects.headsAt({ atMs: T + 15 * minute, kinds: ['Pod'], cluster: 'eu' }, { scope: everything });
  const head = heads.find((candidate) => candidate.name === 'a');
  expect(head?.resourceVersion).toBe('1011');
  const bodies = await objects.bodiesOf(head ? [head] : [], { scope: everything });
  expect(bodies.filter((body) => body.resourceVersion === '1011').map((body) => body.body)).toEqual([
    '{"at":10,"later":true}',
  ]);
});

test('a scope sees its clusters and namespaces, and nothing outside any namespace', async () => {
  expect(await at(19, { kind: 'limited', clusters: [{ name: 'us' }] })).toEqual(['b']);
  expect(await at(19, { kind: 'limited', clusters: [{ name: 'eu', namespaces: ['data'] }] })).toEqual(['c']);
  expect(await at(19, { kind: 'limited', clusters: [] })).toEqual([]);
  const [head] = await objects.headsAt({ atMs: T, kinds: ['Pod'] }, { scope: everything });
  const foreign: Scope = { kind: 'limited', clusters: [{ name: 'us' }] };
  expect(await objects.bodiesOf(head ? [head] : [], { scope: foreign })).toEqual([]);
});

test('history brings the version before, and is in order of time per object', async () => {
  const range = { from: T + 8 * minute, to: T + 30 * minute };
  const versions = await objects.history({ range, kinds: ['Pod'], names: ['a'] }, { scope: everything });
  expect(versions.map((v) => [(v.validFromMs - T) / minute, v.resourceVersion, v.deleted])).toEqual([
    [0, '1000', false],
    [10, '1010', false],
    [10, '1011', false],
    [20, '1020', true],
  ]);
  expect(await objects.history({ range, kinds: ['Node'] }, { scope: everything })).toEqual([]);
});

test('names from outside are values, not SQL', async () => {
  const range = { from: T, to: T + minute };
  expect(await objects.history({ range, names: ["' OR 1=1 --"] }, { scope: everything })).toEqual([]);
});

test('it keeps to the limits that it was given', async () => {
  const limited = createObjectReader(db.store.port, { seconds: 20, memoryBytes: 2 ** 28, resultRows: 1 });
  const read = limited.headsAt({ atMs: T + 19 * minute }, { scope: everything });
  await expect(read).rejects.toMatchObject({ kind: 'limit', limit: 'result rows 1' });
});
