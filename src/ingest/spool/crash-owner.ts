/**
 * A program for crash tests: owns store and spool in the folder it is given and appends numbered batches from the given number
 * on, telling on standard output which were acknowledged, until somebody kills it. After SIGUSR2 it kills itself at the next
 * insert: when the store has the rows and the spool does not know it yet.
 */
import { join } from 'node:path';
import { silentLogger, systemClock } from '../../base/index.ts';
import { type ClickHousePort, openStore } from '../../store/index.ts';
import { numberedBatch, openBatchSpool } from './testing.ts';

const AT_ONCE = 4;

const [folder = '', from = '0'] = process.argv.slice(2);
const store = await openStore({
  engine: { kind: 'embedded', folder: join(folder, 'engine'), memoryBytes: 2 ** 30 },
  retention: { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' },
  clock: systemClock,
  logger: silentLogger,
});
let dieOnceInserted = false;
process.on('SIGUSR2', () => {
  dieOnceInserted = true;
});
const port: ClickHousePort = {
  ...store.port,
  async insertSegment(insert, options) {
    await store.port.insertSegment(insert, options);
    if (dieOnceInserted) process.kill(process.pid, 'SIGKILL');
  },
};
const spool = await openBatchSpool({
  folder: join(folder, 'spool'),
  store: { port },
  maxBytes: 2 ** 30,
  clock: systemClock,
  logger: silentLogger,
  sealAfterMs: 40,
});

let next = Number(from);
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (;;) {
      const number = next++;
      await spool.append(numberedBatch(number));
      process.stdout.write(`${number}\n`);
    }
  }),
);
