import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../base/index.ts';
import { lockFolder, readTar, writeTar } from '../../base/node/index.ts';
import {
  newestTelemetrySchema,
  openRecords,
  openStore,
  type Records,
  type Store,
  selectRows,
} from '../../store/index.ts';
import { type Backup, createBackup } from './create.ts';
import { CHECKSUMS, MANIFEST } from './manifest.ts';
import { checkBackup } from './read.ts';
import { restoreFolder, restoreInto } from './restore.ts';

interface Answer {
  subject: string;
  headline: string;
}

const forever = { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' } as const;
const limits = { seconds: 20, memoryBytes: 2 ** 29 };
const restoring = { version: '0.1.0', clock: systemClock, logger: silentLogger };
const saved = { id: 'inv_1', createdMs: 1_767_225_600_123, body: { subject: 's', headline: `"it's" \u0000 ü\n` } };

async function openBoth(data: string): Promise<{ store: Store; records: Records<Answer>; close(): Promise<void> }> {
  const engine = { kind: 'embedded', folder: join(data, 'engine'), memoryBytes: 2 ** 30 } as const;
  const [store, records] = await Promise.all([
    openStore({ engine, retention: forever, clock: systemClock, logger: silentLogger }),
    openRecords<Answer>({ folder: join(data, 'records') }),
  ]);
  return { store, records, close: () => Promise.all([store.close(), records.close()]).then(() => {}) };
}

const run = (store: Store, text: string) => store.port.run({ text, params: {} }, { limits });

/** Rows of several days in every table that a spool fills. */
async function fill(store: Store, days = 3): Promise<void> {
  const time = `toDateTime64('2026-01-01 12:00:00', 9, 'UTC') + toIntervalDay(number % ${days})`;
  await run(store, `INSERT INTO samples (ts, series_id, value) SELECT ${time}, number, number FROM numbers(1000)`);
  await run(
    store,
    `INSERT INTO series (last_ts, first_ts, series_id, metric) SELECT ${time}, ${time}, number, 'm' FROM numbers(100)`,
  );
  await run(store, `INSERT INTO logs (time, body) SELECT ${time}, concat('line ', toString(number)) FROM numbers(500)`);
  await run(
    store,
    `INSERT INTO spans (start, trace_id, name) SELECT ${time}, toFixedString(toString(number), 16), 'x' FROM numbers(200)`,
  );
  await run(
    store,
    `INSERT INTO object_versions (valid_from, name, uid) SELECT ${time}, 'pod', toString(number) FROM numbers(50)`,
  );
  await run(store, `INSERT INTO metric_metadata (family, type) SELECT 'm', 'counter'`);
}

/** What is in the tables, as sums that any lost or changed row changes. */
async function digest(store: Store): Promise<Record<string, unknown>> {
  const of = async (text: string) => (await selectRows(store.port, { text, params: {} }, { limits }))[0];
  return {
    samples: await of('SELECT count() AS c, sum(cityHash64(*)) AS h FROM samples'),
    series: await of('SELECT count() AS c, sum(cityHash64(series_id, last_ts)) AS h FROM series FINAL'),
    logs: await of('SELECT count() AS c, sum(cityHash64(time, body)) AS h FROM logs'),
    spans: await of('SELECT count() AS c, sum(cityHash64(start, trace_id)) AS h FROM spans'),
    traces: await of('SELECT count() AS c, sum(cityHash64(trace_id, first, last)) AS h FROM trace_times FINAL'),
    objects: await of('SELECT count() AS c, sum(cityHash64(uid, valid_from)) AS h FROM object_versions FINAL'),
    found: await of("SELECT count() AS c FROM logs WHERE hasAllTokens(body, 'line')"),
  };
}

const write = (backup: Backup, file: string) => pipeline(Readable.from(backup.content), createWriteStream(file));

describe('backups', () => {
  let folder: string;
  let file: string;
  let original: Record<string, unknown>;
  const path = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trifocal-backup-'));
    file = path('one.tar');
    const { store, records, close } = await openBoth(path('data'));
    await fill(store);
    await records.investigations.save(saved);
    original = await digest(store);
    if (!store.backup) throw new Error('the embedded engine has backups');
    let flushed = 0;
    const flush = async () => {
      flushed++;
    };
    const backup = await createBackup({ store: store.backup, records, flush, folder: path('making'), ...restoring });
    expect(flushed).toBe(1);
    // What comes after the moment is not in it, and a merge takes nothing from it.
    await fill(store, 5);
    await run(store, 'OPTIMIZE TABLE logs FINAL');
    await write(backup, file);
    await backup.release();
    expect(readdirSync(path('making'))).toEqual([]);
    expect(readdirSync(path('data/engine/shadow')).filter((name) => name !== 'increment.txt')).toEqual([]);
    expect(backup.manifest.tables).toContainEqual(expect.objectContaining({ name: 'samples', rows: 1000 }));
    await close();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('one restored into a folder holds exactly what the server held at that moment', async () => {
    const data = path('fresh');
    mkdirSync(data);
    writeFileSync(join(data, 'precious'), 'x');
    const restore = (replace: boolean) => restoreFolder({ file, data, replace, ...restoring });
    await expect(restore(false)).rejects.toThrow(/is not empty \(precious\).*--replace/);
    const lock = await lockFolder(data);
    await expect(restore(true)).rejects.toThrow(/in use by a running Trifocal/);
    lock.release();
    const { manifest, keptAt } = await restore(true);
    expect(readFileSync(join(keptAt ?? '', 'precious'), 'utf8')).toBe('x');
    expect(readdirSync(data).sort()).toEqual(['engine', 'records']);
    expect(manifest.tables.find(({ name }) => name === 'logs')?.rows).toBe(500);
    const { store, records, close } = await openBoth(data);
    expect(await digest(store)).toEqual(original);
    expect(await records.investigations.get(saved.id)).toEqual(saved);
    await close();
  });

  test('a running server takes one when it is empty, or when told to add it', async () => {
    const { store, records, close } = await openBoth(path('running'));
    const options = {
      file,
      store: store.backup as NonNullable<Store['backup']>,
      records,
      schema: newestTelemetrySchema,
      version: '0.1.0',
    }; // an embedded engine has it
    await restoreInto({ ...options, add: false });
    expect(await digest(store)).toEqual(original);
    expect(await records.investigations.get(saved.id)).toEqual(saved);
    await expect(restoreInto({ ...options, add: false })).rejects.toThrow(/holds data already \(.*1000 samples.*--add/);
    await restoreInto({ ...options, add: true });
    expect(await digest(store)).toMatchObject({ samples: { c: 2000n } });
    await close();
  });

  test('a restore into a running server that breaks off says what stays and how to go on', async () => {
    // Whole by its checksums, but the engine cannot read a part of the last table.
    const broken = path('broken.tar');
    const hash = (text: string) => createHash('sha256').update(text, 'latin1').digest('hex');
    const isBroken = (name: string) => /^telemetry\/series\/.+\/columns\.txt$/.test(name);
    const content = await rewritten(file, (name, text) => {
      if (name !== CHECKSUMS) return isBroken(name) ? 'nonsense' : text;
      const sums = JSON.parse(text);
      for (const one of Object.keys(sums)) if (isBroken(one)) sums[one] = hash('nonsense');
      return JSON.stringify(sums);
    });
    writeFileSync(broken, content);
    const { store, records, close } = await openBoth(path('half'));
    if (!store.backup) throw new Error('the embedded engine has backups');
    const options = { store: store.backup, records, schema: newestTelemetrySchema, version: '0.1.0' };
    await expect(restoreInto({ ...options, file: broken, add: false })).rejects.toThrow(
      /broke off \(.+\)\. \d+ parts of it were added already and stay; the same restore with --add/s,
    );
    await restoreInto({ ...options, file, add: true });
    expect(await digest(store)).toMatchObject({ samples: { c: 2000n }, series: original.series });
    await close();
  });

  test('one that is damaged, cut, unknown or newer is refused with what and where, and nothing is left', async () => {
    const bytes = readFileSync(file);
    const refuse = async (name: string, content: Uint8Array, words: RegExp) => {
      writeFileSync(path(name), content);
      await expect(checkBackup(path(name), '0.1.0')).rejects.toThrow(words);
      await expect(
        restoreFolder({ file: path(name), data: path('never'), replace: false, ...restoring }),
      ).rejects.toThrow(words);
      expect(existsSync(path('never')) || existsSync(path('never.restoring'))).toBe(false);
    };
    const flipped = Buffer.from(bytes);
    const header = bytes.indexOf('/data.bin\0');
    const at = header - (header % 512) + 512 + 10;
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    await refuse('flipped.tar', flipped, /can't be used: damaged: telemetry\/\S+data\.bin is not as it was written\./);
    await refuse('cut.tar', bytes.subarray(0, bytes.length / 2), /can't be used: cut short/);
    await refuse(
      'unfinished.tar',
      Buffer.concat([bytes.subarray(0, bytes.indexOf('checksums.json')), Buffer.alloc(1024)]),
      /cut short: it ends before its checksums/,
    );
    await refuse('other.tar', Buffer.alloc(4096, 'x'), /can't be used: damaged/);
    await refuse(
      'newer.tar',
      await withManifest(file, (text) => text.replace(/"telemetrySchema": \d+/, '"telemetrySchema": 999')),
      /made by Trifocal 0\.1\.0 with telemetry schema 999; this one/,
    );
    await expect(checkBackup(path('missing.tar'), '0.1.0')).rejects.toThrow('There is no backup');
  });
});

/** The backup with another manifest, its header right again. */
function withManifest(file: string, change: (text: string) => string): Promise<Buffer> {
  return rewritten(file, (path, text) => (path === MANIFEST ? change(text) : text));
}

/** The backup with other contents, headers right again; checksums are as they were. */
async function rewritten(file: string, change: (path: string, text: string) => string): Promise<Buffer> {
  async function* changed() {
    for await (const entry of readTar(Readable.from([readFileSync(file)]))) {
      const pieces: Uint8Array[] = [];
      for await (const piece of entry.content) pieces.push(piece);
      const text = Buffer.concat(pieces).toString('latin1');
      const content = Buffer.from(change(entry.path, text), 'latin1');
      yield { path: entry.path, bytes: content.length, content: Readable.from([content]) };
    }
  }
  const out: Uint8Array[] = [];
  for await (const piece of writeTar(changed())) out.push(piece);
  return Buffer.concat(out);
}
