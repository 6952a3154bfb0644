import { cp } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../testing.ts';
import { openRecordDatabase } from './database.ts';
import { createInvestigationStore } from './investigations.ts';
import { openRecords } from './open.ts';

interface Answer {
  subject: string;
  headline: string;
}

const record = (number: number, createdMs: number) => ({
  id: `inv_${number}`,
  createdMs,
  body: { subject: 'workload:c/ns/llama', headline: `it's "${number}" \u0000 ü` },
});

describe('records', () => {
  /** An empty PostgreSQL: making one takes seconds, copying it does not. */
  let empty: Awaited<ReturnType<typeof temporaryFolder>>;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    empty = await temporaryFolder();
    await (await PGlite.create(empty.path)).close();
  });
  beforeEach(async () => {
    folder = await temporaryFolder();
    await cp(empty.path, folder.path, { recursive: true });
  });
  afterEach(() => folder.remove());
  afterAll(() => empty.remove());

  test('investigations survive a restart and page newest first, ties included', async () => {
    const saved = [0, 1, 2, 3, 4].map((i) => record(i, 1_767_225_600_123 + Math.floor(i / 2)));
    const first = await openRecords<Answer>({ folder: folder.path });
    for (const one of saved) await first.investigations.save(one);
    await first.close();

    const { investigations, close } = await openRecords<Answer>({ folder: folder.path });
    expect(await investigations.get('inv_3')).toEqual(saved[3]);
    expect(await investigations.get('inv_9')).toBeUndefined();
    const pages = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = await investigations.list({ limit: 2, ...(cursor && { cursor }) });
      pages.push(page.items.map((item) => item.id));
      cursor = page.next;
    }
    expect(pages).toEqual([['inv_4', 'inv_3'], ['inv_2', 'inv_1'], ['inv_0']]);
    expect((await investigations.list({ limit: 1, cursor: 'nonsense' })).items).toEqual([saved[4]]);
    await close();
  });

  test('the newest investigations are kept, by number and by age', async () => {
    const database = await openRecordDatabase(folder.path);
    const { save, list } = createInvestigationStore<Answer>(database, { count: 3, days: 90 });
    const kept = async () => (await list({ limit: 10 })).items.map((item) => item.id);
    const dayMs = 86_400_000;
    const start = 1_767_225_600_000;
    for (const number of [0, 1, 2, 3, 4]) await save(record(number, start + number));
    expect(await kept()).toEqual(['inv_4', 'inv_3', 'inv_2']);
    await save(record(5, start + 4 + 90 * dayMs));
    expect(await kept()).toEqual(['inv_5', 'inv_4']);
    await save(record(6, start + 200 * dayMs));
    expect(await kept()).toEqual(['inv_6']);
    await database.close();
  });

  test('a dump is as of one moment, whatever is written while it is read', async () => {
    const { investigations, dump, restore, close } = await openRecords<Answer>({ folder: folder.path });
    const first = Array.from({ length: 300 }, (_, i) => record(i, 1_767_225_600_000 + i));
    for (const one of first) await investigations.save(one);
    const lines = [];
    for await (const line of dump()) {
      if (lines.push(line) === 1) await investigations.save(record(999, 1_767_225_600_999));
    }
    const ids = lines.filter(Array.isArray).map(([id]) => id);
    expect(ids.sort()).toEqual(first.map(({ id }) => id).sort());
    // One that is left in the middle is in nobody's way.
    for await (const _ of dump()) break;
    let rows = 0;
    for await (const line of dump()) if (Array.isArray(line)) rows++;
    expect(rows).toBe(301);
    expect(await restore(dump())).toMatchObject({ investigations: 301 });
    await close();
  });

  test('a step that fails is not recorded; a schema from the future is refused', async () => {
    const good = { version: 1, name: 'good', sql: 'CREATE TABLE a (x int)' };
    const bad = { version: 2, name: 'bad', sql: 'CREATE TABLE b (x int); SELECT nonsense' };
    await expect(openRecordDatabase(folder.path, [good, bad])).rejects.toThrow('nonsense');
    const fixed = { ...bad, sql: 'CREATE TABLE b (x int)' };
    await (await openRecordDatabase(folder.path, [good, fixed])).close();
    await expect(openRecordDatabase(folder.path, [good])).rejects.toThrow('schema 2, written by a newer Trifocal');
  });
});
