import { expect, test } from 'vitest';
import { temporaryFolder, waitFor } from '../programs/process.ts';
import { sendingDoors, sendUntilAcknowledged } from '../programs/retrying-sender.ts';
import { countRows, engineOf } from '../programs/stored-items.ts';
import { type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

const KILLS = 20;

/**
 * Senders deliver through every door without pause, and repeat every request until it is acknowledged, while the server
 * (even rounds) or its engine child alone (odd rounds) is killed with SIGKILL. In the end the tables must hold exactly one
 * row of each item, also of those whose answer was lost with the server that had stored them.
 */
test(`${KILLS} kills with senders that repeat, on all doors: each acknowledged item is there exactly once`, async () => {
  const folder = temporaryFolder('crash');
  const acknowledged = new Map(sendingDoors.map(({ name }) => [name, new Set<number>()]));
  let repeated = 0;
  const startMs = Date.now();
  let next = 0;
  let over = false;
  let server: RunningTrifocal = await startTrifocal({ data: folder.path });
  try {
    const sending = Promise.all(
      sendingDoors.flatMap((door) =>
        [0, 1].map(async () => {
          while (!over) {
            const number = next++;
            // A time of its own, else two items of one series could be one sample.
            const item = { number, timeMs: startMs + number };
            const end = await sendUntilAcknowledged(door, item, () => server, () => false); // biome-ignore format: short
            acknowledged.get(door.name)?.add(item.number);
            if (end.tries > 1) repeated++;
            await new Promise((resolve) => setTimeout(resolve, 15));
          }
        }),
      ),
    );
    for (let round = 0; round < KILLS; round++) {
      await new Promise((resolve) => setTimeout(resolve, 600 + 137 * (round % 7)));
      if (round % 2 === 0) {
        process.kill(server.serverPid, 'SIGKILL');
        await server.exited;
        server = await startTrifocal({ data: folder.path });
      } else {
        const engine = await waitFor('an engine to kill', async () => engineOf(server.serverPid));
        process.kill(engine, 'SIGKILL');
      }
    }
    over = true;
    await sending;
    expect(repeated).toBeGreaterThan(KILLS);
    await waitFor('an empty spool', async () => {
      const metrics = await (await fetch(`${server.http}/metrics`)).text();
      return /^trifocal_spool_bytes 0$/m.test(metrics) || undefined;
    });
    await server.stop();
    const found = await countRows(folder.path, sendingDoors);
    for (const { name } of sendingDoors) {
      const rows = found.get(name) ?? new Map<number, number>();
      const sent = acknowledged.get(name) ?? new Set<number>();
      expect({ name, items: sent.size }).toEqual({ name, items: rows.size });
      const lost = [...sent].filter((number) => !rows.has(number));
      const twice = [...rows].filter(([, count]) => count > 1);
      expect({ name, lost, twice }).toEqual({ name, lost: [], twice: [] });
      expect(sent.size).toBeGreaterThan(KILLS);
    }
  } finally {
    over = true;
    await server.stop();
    folder.remove();
  }
}, 900_000);
