import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Clock, Logger } from '../../base/index.ts';
import { appendDurably, writeFileDurably } from '../../base/node/index.ts';
import { WINDOW_MS, WINDOW_REQUESTS } from '../identity/index.ts';
import type { RequestMark } from '../sink.ts';
import { decodeMark, encodeMark, MARK_BYTES } from './frames.ts';

export const JOURNAL = 'requests';
/** A mark and its CRC-32. */
const RECORD_BYTES = MARK_BYTES + 4;

/** The requests of the last minutes whose segments are deleted already, in one file of bounded size. */
export interface RequestJournal {
  /** Resolves when they are on disk. */
  add(requests: readonly RequestMark[]): Promise<void>;
  /** Those of the window, in the order in which they were added. */
  read(): Promise<RequestMark[]>;
}

/** Opens `requests` in `folder`, without what a crash tore or time has passed over. */
export async function openRequestJournal(options: {
  folder: string;
  clock: Clock;
  logger: Logger;
  maxRequests?: number;
}): Promise<RequestJournal> {
  const { folder, clock, logger, maxRequests = WINDOW_REQUESTS } = options;
  const path = join(folder, JOURNAL);
  let bytes = 0;

  /** Whole records from the beginning on. */
  const readRecords = async (): Promise<RequestMark[]> => {
    const file = await readFile(path).catch(() => Buffer.alloc(0)); // not there yet
    const requests: RequestMark[] = [];
    for (let at = 0; at + RECORD_BYTES <= file.length; at += RECORD_BYTES) {
      const mark = file.subarray(at, at + MARK_BYTES);
      if (crc32(mark) !== file.readUInt32LE(at + MARK_BYTES)) break;
      requests.push(decodeMark(mark));
    }
    return requests;
  };
  const recent = (requests: readonly RequestMark[]) => {
    const oldest = clock.now() - WINDOW_MS;
    return requests.filter(({ atMs }) => atMs >= oldest).slice(-maxRequests);
  };
  const compact = async () => {
    const records = await readRecords();
    bytes = records.length * RECORD_BYTES;
    await truncate(path, bytes).catch(() => {}); // not there yet; takes no room, unlike what follows
    const kept = encodeRecords(recent(records));
    await writeFileDurably(path, kept);
    bytes = kept.length;
  };
  // A full disk must not keep the server from starting.
  await compact().catch((error) =>
    logger.warn({ error: String(error) }, 'the journal of requests could not be tidied'),
  );

  return {
    async add(requests) {
      if (requests.length === 0) return;
      if (bytes > 2 * maxRequests * RECORD_BYTES) await compact();
      const records = encodeRecords(requests);
      try {
        await appendDurably(path, records);
      } catch (error) {
        await truncate(path, bytes).catch(() => {}); // else the next records would stand where nobody reads them
        throw error;
      }
      bytes += records.length;
    },
    read: async () => recent(await readRecords()),
  };
}

function encodeRecords(requests: readonly RequestMark[]): Buffer {
  const records = Buffer.alloc(requests.length * RECORD_BYTES);
  requests.forEach((request, i) => {
    const mark = encodeMark(request);
    records.set(mark, i * RECORD_BYTES);
    records.writeUInt32LE(crc32(mark), i * RECORD_BYTES + MARK_BYTES);
  });
  return records;
}
