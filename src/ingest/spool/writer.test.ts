import { mkdtemp, open as openFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { manualClock } from '../../base/index.ts';
import { encodeAppend } from './frames.ts';
import { findSegments, readSegment, type Segment } from './segments.ts';
import { createSegmentWriter } from './writer.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trifocal-writer-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a writer of segments', () => {
  /** With so many requests under way, on a clock that stands still. */
  const open = (underWay: number, where = folder) => {
    const clock = manualClock(0);
    const writer = createSegmentWriter({
      folder: where,
      clock,
      sealBytes: 1000,
      underWay: () => underWay,
      onEnded: () => {},
    });
    return { clock, append: () => writer.append([Buffer.from('rows')]), close: () => writer.seal() };
  };

  /** Takes as long as a writer would that does not wait. */
  const whileAnotherWrites = async () => {
    const other = open(1, await mkdtemp(join(folder, 'other-')));
    await other.append();
    await other.close();
  };
  const segments = async () => (await readdir(folder)).filter((name) => name.endsWith('.segment'));

  test('does not let an append wait that is alone', async () => {
    const { append, close } = open(1);
    await append();
    await close();
  });

  test('waits for an append that is on its way, and writes both at once', async () => {
    const { append, close } = open(2);
    const first = append();
    await whileAnotherWrites();
    expect(await segments()).toEqual([]);
    await Promise.all([first, append()]);
    await close();
  });

  test('waits no longer than a moment', async () => {
    const { clock, append, close } = open(5);
    const all = [append(), append()];
    await whileAnotherWrites();
    expect(await segments()).toEqual([]);
    await clock.advance(2);
    await Promise.all(all);
    await close();
  });
});

test('what was refused does not come back after a crash, even if the disk fails twice in a row', async () => {
  const ended: Segment[] = [];
  const writer = createSegmentWriter({
    folder,
    clock: manualClock(0),
    sealBytes: 1e6,
    underWay: () => 1,
    onEnded: (segment) => ended.push(segment),
  });
  const append = (text: string) => writer.append(encodeAppend([{ table: 'logs', block: Buffer.from(text) }]));
  const textsOnDisk = async () => {
    const contents = await Promise.all((await findSegments(folder)).map((segment) => readSegment(folder, segment)));
    return contents.flatMap(({ frames }) => frames.map(({ block }) => block.toString()));
  };
  await append('first');

  const file = await openFile(join(folder, 'another file'), 'w');
  const methods: typeof file = Object.getPrototypeOf(file);
  await file.close();
  // A disk cannot be made to fail like this.
  const sync = vi.spyOn(methods, 'datasync').mockRejectedValue(new Error('EIO'));
  const cut = vi.spyOn(methods, 'truncate').mockRejectedValue(new Error('EIO'));
  await expect(append('refused')).rejects.toThrow('EIO');
  sync.mockRestore();
  await expect(append('refused as well')).rejects.toThrow('EIO');
  cut.mockRestore();
  await append('last');
  expect((await textsOnDisk()).sort()).toEqual(['first', 'last']);
  expect(ended).toHaveLength(1);
  await writer.seal();
});
