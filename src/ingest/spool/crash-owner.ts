/**
 * A program for crash tests: owns store and spool in the folder it is given and appends numbered batches from the given number
 * on, telling on standard output which were acknowledged, until somebody kills it.
 */
import { join } from 'node:path';
import { silentLogger, systemClock } from '../../base/index.ts';
import { openStore } from '../../store/index.ts';
import { numberedBatch, openBatchSpool } from './testing.ts';

const AT_ONCE = 4;

const [folder = '', from = '0'] = process.argv.slice(2);
const store = await openStore({
  engine: { kind: 'embedded', folder: join(folder, 'engine'), memoryBytes: 2 ** 30 },
  retention: { metrics: 'forever', logs: 'forever', traces: 'forever', objects: 'forever' },
  clock: systemClock,
  logger: silentLogger,
});
const spool = await openBatchSpool({
  folder: join(folder, 'spool'),
  store,
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
