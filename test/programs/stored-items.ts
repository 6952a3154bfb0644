import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { openStore, selectRows } from '../../src/store/index.ts';
import { metricOf, type SendingDoor } from './retrying-sender.ts';

/** How many rows the tables of a stopped server hold for each number of each door: not what queries answer, which see two as one. */
export async function countRows(
  data: string,
  doors: readonly SendingDoor[],
): Promise<Map<string, Map<number, number>>> {
  const store = await openStore({
    engine: { kind: 'embedded', folder: join(data, 'engine'), memoryBytes: 2 ** 30 },
    retention: { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' },
    clock: systemClock,
    logger: silentLogger,
  });
  const from = ({ signal, name }: SendingDoor) => {
    const params = { name, metric: metricOf(name) };
    if (signal === 'samples') {
      const series = 'SELECT series_id FROM series WHERE metric = {metric:String}';
      return { text: `SELECT toUInt64(value) AS number FROM samples WHERE series_id IN (${series})`, params };
    }
    const [column, table] = signal === 'logs' ? ['body', 'logs'] : ['name', 'spans'];
    const words = `splitByChar(' ', ${column})`;
    return { text: `SELECT toUInt64(${words}[3]) AS number FROM ${table} WHERE ${words}[2] = {name:String}`, params };
  };
  try {
    const found = new Map<string, Map<number, number>>();
    for (const door of doors) {
      const { text, params } = from(door);
      const counted = { text: `SELECT number, count() AS found FROM (${text}) GROUP BY number`, params };
      const rows = await selectRows(store.port, counted, { limits: { seconds: 60, memoryBytes: 2 ** 29 } });
      found.set(door.name, new Map(rows.map((row) => [Number(row.number), Number(row.found)])));
    }
    return found;
  } finally {
    await store.close();
  }
}

/** The child process that holds the engine, by its command line; undefined while it is being started again. */
export function engineOf(serverPid: number): number | undefined {
  // Fails when there is none.
  const { stdout } = spawnSync('ps', ['--no-headers', '-o', 'pid,args', '--ppid', String(serverPid)], {
    encoding: 'utf8',
  });
  const line = stdout.split('\n').find((row) => /engine/.test(row));
  return line === undefined ? undefined : Number.parseInt(line, 10);
}
