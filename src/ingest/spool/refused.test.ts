import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentLogger } from '../../base/index.ts';
import { openRefusedFolder } from './refused.ts';

test('what earlier processes left is counted, and beyond the bound the oldest go', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trifocal-refused-'));
  const open = () => openRefusedFolder({ folder, maxBytes: 100, logger: silentLogger });
  try {
    const first = await open();
    await first.write('a', Buffer.alloc(40));
    await writeFile(join(folder, 'file'), Buffer.alloc(40));
    expect(await first.move(join(folder, 'file'), 'b')).toBe(join(folder, 'refused', 'b'));
    const second = await open();
    expect(second.count()).toBe(2);
    await second.write('c', Buffer.alloc(50));
    expect(await readdir(join(folder, 'refused'))).toEqual(['b', 'c']);
    await second.write('d', Buffer.alloc(1000));
    expect(await readdir(join(folder, 'refused'))).toEqual(['d']);
    expect(second.count()).toBe(1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
