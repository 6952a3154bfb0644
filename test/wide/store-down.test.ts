import { expect, test } from 'vitest';
import type { TelemetryResponse } from '../../src/api/contract/index.ts';
import { temporaryFolder, waitFor } from '../programs/process.ts';
import { sendingDoors, sendUntilAcknowledged } from '../programs/retrying-sender.ts';
import { countRows, engineOf } from '../programs/stored-items.ts';
import { promql, type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

/** How long the store stays down. Ten minutes hold as well: set TRIFOCAL_TEST_DOWN_SECONDS. */
const DOWN_SECONDS = Number(process.env.TRIFOCAL_TEST_DOWN_SECONDS ?? 60);

/**
 * The engine is killed whenever it comes up again, so the store is down. Meanwhile what senders deliver is acknowledged and
 * waits on disk, queries say what is wrong, and the state is shown. Then it may live: everything goes in by itself.
 */
test(
  `a store that is down for ${DOWN_SECONDS} s costs nothing that was acknowledged`,
  async () => {
    const folder = temporaryFolder('store-down');
    const server: RunningTrifocal = await startTrifocal({ data: folder.path });
    const acknowledged = new Map(sendingDoors.map(({ name }) => [name, new Set<number>()]));
    let over = false;
    try {
      const sending = Promise.all(
        sendingDoors.map(async (door) => {
          for (let number = 0; !over; number++) {
            const item = { number, timeMs: Date.now() };
            const { tries } = await sendUntilAcknowledged(door, item, () => server, () => false); // biome-ignore format: short
            expect({ door: door.name, tries }).toEqual({ door: door.name, tries: 1 });
            acknowledged.get(door.name)?.add(number);
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        }),
      );
      const telemetry = async () => (await (await fetch(`${server.http}/api/telemetry`)).json()) as TelemetryResponse; // the contract's shape
      const metric = async (name: string) => {
        const text = await (await fetch(`${server.http}/metrics`)).text();
        return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
      };
      await waitFor('a calm beginning', async () => ((await metric('trifocal_store_up')) === 1 ? true : undefined));

      const until = performance.now() + DOWN_SECONDS * 1000;
      const seen = { down: 0, behind: 0, refusedQueries: 0, otherAnswers: 0, words: new Set<string>() };
      while (performance.now() < until) {
        const engine = engineOf(server.serverPid);
        if (engine !== undefined) process.kill(engine, 'SIGKILL');
        await new Promise((resolve) => setTimeout(resolve, 50));
        const { store, spool } = await telemetry();
        if (!store.up) seen.down++;
        if (spool.state === 'behind') seen.behind++;
        await promql(`${server.http}/prometheus`, 'count({__name__=~"crash_.*"})', { time: Date.now() / 1000 }).then(
          () => seen.otherAnswers++,
          (error: Error) => {
            seen.refusedQueries++;
            seen.words.add(error.message);
          },
        );
        expect((await fetch(`${server.http}/healthz`)).status).toBe(200);
        expect((await fetch(`${server.http}/readyz`)).status).toBe(200);
      }
      expect(seen.down).toBeGreaterThan(0);
      expect(seen.behind).toBeGreaterThan(0);
      expect(seen.otherAnswers).toBe(0);
      for (const words of seen.words) expect(words).toMatch(/the store (is down|does not answer)/);
      expect(await metric('trifocal_spool_oldest_seconds')).toBeGreaterThan(DOWN_SECONDS / 2);

      await waitFor('the store to be back', async () => ((await telemetry()).store.up ? true : undefined));
      over = true;
      await sending;
      await waitFor('an empty spool', async () => ((await metric('trifocal_spool_bytes')) === 0 ? true : undefined));
      expect((await telemetry()).spool.state).toBe('ok');
      const [counted] = await promql(`${server.http}/prometheus`, 'count({__name__=~"crash_.*"})', {
        time: Date.now() / 1000,
      });
      expect(Number(counted?.value?.[1])).toBeGreaterThan(0);
      await server.stop();
      const found = await countRows(folder.path, sendingDoors);
      for (const [name, numbers] of acknowledged) {
        const expected = [...numbers].map((number) => [number, 1]);
        expect({ name, rows: [...(found.get(name) ?? [])].sort(([a], [b]) => a - b) }).toEqual({
          name,
          rows: expected,
        });
        expect(numbers.size).toBeGreaterThan(DOWN_SECONDS);
      }
    } finally {
      over = true;
      await server.stop();
      folder.remove();
    }
  },
  (DOWN_SECONDS + 240) * 1000,
);
