import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TelemetryResponse } from '../../src/api/contract/index.ts';
import { temporaryFolder, waitFor } from '../programs/process.ts';
import { type SendingDoor, sendingDoors } from '../programs/retrying-sender.ts';
import { countRows } from '../programs/stored-items.ts';
import { promql, type RunningTrifocal, startTrifocal } from '../programs/trifocal.ts';

const DISK_BYTES = 400 * 2 ** 20;
const RESERVE_BYTES = 64 * 2 ** 20;

/** Mounting a small file system takes root and a kernel that lets it. */
const mountRefusal = tryMounting();

let folder: ReturnType<typeof temporaryFolder>;
let server: RunningTrifocal | undefined;
beforeEach(() => {
  folder = temporaryFolder('full-disk');
  if (mountRefusal === undefined) mount(folder.path);
});
afterEach(async () => {
  await server?.stop();
  if (mountRefusal === undefined) execFileSync('umount', [folder.path]);
  folder.remove();
});

/**
 * Fills the disk under everything (spool, engine, records) twice: to below the reserve, and to the last byte at a stroke. Each
 * time senders are told to try again, the state says why, queries go on, and when there is room again so does ingest.
 */
test.skipIf(mountRefusal !== undefined)(
  `a full disk stops ingest and nothing else, and loses nothing (${mountRefusal ?? 'on a tmpfs'})`,
  async () => {
    const running = await startTrifocal({
      data: join(folder.path, 'data'),
      env: { TRIFOCAL_STORE_RESERVE: String(RESERVE_BYTES) },
    });
    server = running;
    const acknowledged = new Map(sendingDoors.map(({ name }) => [name, new Set<number>()]));
    let next = 0;
    /** One item through each door; how many were acknowledged. */
    const sendRound = async (): Promise<number> => {
      const answers = await Promise.all(
        sendingDoors.map(async (door: SendingDoor) => {
          const item = { number: next++, timeMs: Date.now() };
          const took = await door.send(running, item);
          if (took) acknowledged.get(door.name)?.add(item.number);
          return took;
        }),
      );
      return answers.filter(Boolean).length;
    };
    const spoolState = async () => {
      const answer = (await (await fetch(`${running.http}/api/telemetry`)).json()) as TelemetryResponse; // the contract's shape
      return answer.spool;
    };
    const stored = async () => {
      const [counted] = await promql(`${running.http}/prometheus`, 'sum(count_over_time({__name__=~"crash_.*"}[1h]))', {
        time: Date.now() / 1000,
      });
      return Number(counted?.value?.[1] ?? 0);
    };
    const samplesAcknowledged = () =>
      sendingDoors
        .filter(({ signal }) => signal === 'samples')
        .reduce((sum, { name }) => sum + (acknowledged.get(name)?.size ?? 0), 0);
    const investigate = () =>
      fetch(`${running.http}/api/investigations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          subject: 'service:crash/-/crash',
          from: new Date(Date.now() - 600_000).toISOString(),
          to: new Date().toISOString(),
        }),
      }).then((response) => response.status);

    for (let round = 0; round < 20; round++) expect(await sendRound()).toBe(sendingDoors.length);
    await waitFor('all to be stored', async () => ((await stored()) === samplesAcknowledged() ? true : undefined));

    for (const leave of [RESERVE_BYTES / 2, 0]) {
      // While appends and inserts are under way.
      const busy = Promise.all(Array.from({ length: 10 }, sendRound));
      fill(folder.path, leave);
      await busy;
      await waitFor('ingest to stop', async () => ((await sendRound()) === 0 ? true : undefined));
      const { state, message } = await spoolState();
      expect({ state, message }).toEqual({
        state: 'disk-refuses',
        message: expect.stringMatching(/^the disk .*try again$/),
      });
      const refused = await fetch(`${running.http}/loki/api/v1/push`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ streams: [{ stream: { cluster: 'crash' }, values: [[`${Date.now()}000000`, 'x']] }] }),
      });
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await stored()).toBeGreaterThan(0);
      expect((await fetch(`${running.http}/healthz`)).status).toBe(200);
      // What cannot be recorded says so, and takes nothing down.
      await investigate();
      expect(await stored()).toBeGreaterThan(0);

      rmSync(join(folder.path, 'ballast'));
      await waitFor('the state to clear by itself', async () =>
        (await spoolState()).state === 'ok' ? true : undefined,
      );
      expect(await sendRound()).toBe(sendingDoors.length);
      await waitFor('all to be stored', async () => ((await stored()) === samplesAcknowledged() ? true : undefined));
      expect(await investigate()).toBeLessThan(300);
    }
    await running.stop();
    const found = await countRows(join(folder.path, 'data'), sendingDoors);
    for (const [name, numbers] of acknowledged) {
      const rows = found.get(name) ?? new Map<number, number>();
      const lost = [...numbers].filter((number) => !rows.has(number));
      const twice = [...rows].filter(([, count]) => count > 1);
      expect({ name, lost, twice }).toEqual({ name, lost: [], twice: [] });
    }
  },
);

function mount(path: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', path], { stdio: 'pipe' });
}

/** Why no file system can be mounted here; undefined when one can. */
function tryMounting(): string | undefined {
  const probe = temporaryFolder('mount');
  try {
    mount(probe.path);
    execFileSync('umount', [probe.path]);
    return undefined;
  } catch (error) {
    return `skipped: no small disk can be mounted here: ${String(error).split('\n')[0]}`;
  } finally {
    probe.remove();
  }
}

/** Fills the disk but for so many bytes. */
function fill(path: string, leave: number): void {
  const file = openSync(join(path, 'ballast'), 'w');
  try {
    for (let size = 4 * 2 ** 20; size >= 4096; ) {
      const { bavail, bsize } = statfsSync(path);
      if (bavail * bsize - leave < size) size /= 2;
      else writeSync(file, Buffer.alloc(size));
    }
  } catch (error) {
    if (!String(error).includes('ENOSPC')) throw error; // full to the last byte is what was wanted
  } finally {
    closeSync(file);
  }
}
