import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../base/index.ts';
import { entryCommand } from '../../base/node/index.ts';
import { createClickHousePort } from '../clickhouse/client.ts';
import { selectRows } from '../clickhouse/rows.ts';
import { temporaryFolder } from '../testing.ts';
import { mustRunBuffered } from './session.ts';
import { type EngineProcess, startEngine } from './start.ts';

const call = { limits: { seconds: 20, memoryBytes: 2 ** 29 } };

describe('the embedded engine', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const running: EngineProcess[] = [];
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    for (const engine of running.splice(0)) await engine.close();
    await folder.remove();
  });
  const start = async () => {
    const settings = { folder: join(folder.path, 'engine'), memoryBytes: 2 ** 30, database: 'trifocal' };
    const engine = await startEngine({ ...settings, clock: systemClock, logger: silentLogger });
    running.push(engine);
    return engine;
  };
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  test('one that dies is down, comes back by itself, and still has what was inserted', async () => {
    const engine = await start();
    const port = createClickHousePort(engine.endpoint);
    const states: boolean[] = [];
    engine.onStateChange((up) => states.push(up));
    await port.run({ text: 'CREATE TABLE t (x UInt8) ENGINE = MergeTree ORDER BY x', params: {} }, call);
    await port.run({ text: 'INSERT INTO t SELECT 1', params: {} }, call);
    const pid = engine.pid() ?? 0;
    const interrupted = selectRows(port, { text: 'SELECT sleepEachRow(3) FROM numbers(10)', params: {} }, call).catch(
      (error) => error,
    );
    process.kill(pid, 'SIGKILL');
    await until(() => states.length > 0);
    await expect(selectRows(port, { text: 'SELECT 1', params: {} }, call)).rejects.toMatchObject({ kind: 'down' });
    expect(await interrupted).toMatchObject({ kind: 'down' });
    await until(() => states.length > 1);
    expect(states).toEqual([false, true]);
    expect(engine.pid()).not.toBe(pid);
    expect(await selectRows(port, { text: 'SELECT x FROM t', params: {} }, call)).toEqual([{ x: 1 }]);
    await port.close();
  });

  test('it ends when its parent does, however that ends', async () => {
    const owner = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--import',
        entryCommand({ bundle: '', source: '' })[1] ?? '',
        '-e',
        `
      import { startEngine } from ${JSON.stringify(new URL('./start.ts', import.meta.url).href)};
      import { silentLogger, systemClock } from ${JSON.stringify(new URL('../../base/index.ts', import.meta.url).href)};
      const engine = await startEngine({ folder: ${JSON.stringify(join(folder.path, 'engine'))}, memoryBytes: 2 ** 30,
        database: 'trifocal', clock: systemClock, logger: silentLogger });
      console.log(engine.pid());`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const pid = await new Promise<number>((resolve) => owner.stdout.once('data', (data) => resolve(Number(data))));
    expect(isAlive(pid)).toBe(true);
    owner.kill('SIGKILL');
    await until(() => !isAlive(pid));
    await start();
  });

  test('only who knows the key is answered, and only on loopback', async () => {
    const endpoint = (await start()).endpoint();
    expect(new URL(endpoint?.url ?? '').hostname).toBe('127.0.0.1');
    for (const authorization of ['', `Basic ${Buffer.from('trifocal:guess').toString('base64')}`]) {
      const response = await fetch(endpoint?.url ?? '', {
        method: 'POST',
        body: 'SELECT 1',
        headers: { authorization },
      });
      expect(response.status).toBe(403);
    }
  });

  test('a folder that cannot be opened is a sentence', async () => {
    await writeFile(join(folder.path, 'engine'), 'not a folder');
    await expect(start()).rejects.toThrow('engine');
  });

  test.each([
    ['SELECT a FROM t WHERE b = 1', false],
    ['select (a + 1) from t', false],
    ['SELECT a FROM (SELECT 1 AS a)', true],
    ['SELECT a FROM t WHERE b IN (\n  select x FROM y)', true],
    ['WITH 1 AS x SELECT x', true],
    ['INSERT INTO t SELECT 1', true],
    ['SHOW TABLES', true],
  ])('%s', (text, buffered) => {
    expect(mustRunBuffered(text)).toBe(buffered);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
