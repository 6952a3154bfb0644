import { basename } from 'node:path';
import { type Backoff, backoffDelay, type Clock, type Logger } from '../../base/index.ts';
import { syncFolder } from '../../base/node/index.ts';
import {
  type ClickHousePort,
  type DuplicateValues,
  insertLateSamples,
  type QueryLimits,
  StoreError,
  type StoreErrorKind,
} from '../../store/index.ts';
import type { RefusedFolder } from './refused.ts';
import type { RequestJournal } from './request-journal.ts';
import {
  deleteFile,
  deleteSegment,
  readSegment,
  type Segment,
  segmentPath,
  splitSegment,
  type TableFile,
  UnreadableSegment,
} from './segments.ts';

const INSERT_LIMITS: QueryLimits = { seconds: 300, memoryBytes: 1024 ** 3 };
const RETRY: Backoff = { firstMs: 100, maxMs: 2_000, factor: 2 };

/**
 * After so many failures in a row rows are set aside, so that one bad segment does not hold up all others for ever. A store
 * that is down is waited for without end.
 */
const TRIES: Readonly<Record<StoreErrorKind, number>> = {
  down: Number.POSITIVE_INFINITY,
  aborted: Number.POSITIVE_INFINITY,
  limit: 20,
  internal: 20,
  statement: 5,
  data: 3,
};

/** A disk that fails to read a segment so often will not read it later. */
const READ_TRIES = 5;

/** Compared with what is stored instead of inserted as they are. */
const LATE_SAMPLES = 'samples_late';

export interface SegmentLoader {
  /**
   * Inserts the segment and deletes it; what is damaged, unreadable or refused is set aside. A full disk is waited for. Rejects
   * only when `signal` aborts; then nothing is lost, it can be loaded again.
   */
  load(segment: Segment, signal: AbortSignal): Promise<void>;
  /** Why the last try failed, while it is being repeated. */
  trouble(): string | undefined;
}

export function createSegmentLoader(options: {
  folder: string;
  refused: RefusedFolder;
  journal: RequestJournal;
  port: ClickHousePort;
  clock: Clock;
  logger: Logger;
  /** Rows were set aside. */
  onRefused: () => void;
  /** Samples were dropped since their times had other values already. */
  onDuplicates: (duplicates: DuplicateValues) => void;
}): SegmentLoader {
  const { folder, refused, journal, port, clock, logger, onDuplicates } = options;

  let trouble: string | undefined;

  /** Returns what the store dropped for having another value. */
  const insert = async (
    segment: Segment,
    file: TableFile,
    signal: AbortSignal,
  ): Promise<DuplicateValues | undefined> => {
    const failures = new Map<StoreErrorKind, number>();
    for (let total = 1; ; total++) {
      try {
        const token = `${segment.name}.${file.table}`;
        const options = { limits: INSERT_LIMITS, signal };
        let duplicates: DuplicateValues | undefined;
        if (file.table === LATE_SAMPLES) {
          duplicates = await insertLateSamples(port, { file: file.path, token }, options);
        } else {
          await port.insertSegment({ table: file.table, file: file.path, token }, options);
        }
        trouble = undefined;
        await deleteFile(file);
        return duplicates;
      } catch (error) {
        signal.throwIfAborted();
        trouble = error instanceof Error ? error.message : String(error);
        const kind = error instanceof StoreError ? error.kind : 'internal';
        const count = (failures.get(kind) ?? 0) + 1;
        failures.set(kind, count);
        if (count >= TRIES[kind]) {
          await refuse(file, error);
          return undefined;
        }
        const log = kind === 'down' ? logger.debug : logger.warn;
        log.call(logger, { table: file.table, error: String(error) }, 'the store did not take a segment, trying again');
        await clock.sleep(backoffDelay(RETRY, total, Math.random()), signal);
      }
    }
  };
  const refuse = async (file: TableFile, error: unknown) => {
    const kept = await refused.move(file.path, basename(file.path));
    logger.error({ table: file.table, kept, error: String(error) }, 'the store refuses rows; they were set aside');
    options.onRefused();
  };
  const insertAll = async (segment: Segment, signal: AbortSignal) => {
    const content = await readSegment(folder, segment);
    const files = await splitSegment(folder, segment, content);
    // What is late may repeat what is new in the same segment, wherever it stands there.
    files.sort((a, b) => Number(a.table === LATE_SAMPLES) - Number(b.table === LATE_SAMPLES));
    let duplicates: DuplicateValues | undefined;
    for (const file of files) duplicates = (await insert(segment, file, signal)) ?? duplicates;
    const { damaged, requests } = content;
    if (damaged) {
      const kept = await refused.write(`${segment.name}.damaged`, damaged);
      logger.error({ kept, bytes: damaged.length }, 'acknowledged rows are damaged on disk; they were set aside');
      options.onRefused();
    }
    // First, since a request whose rows are in the store must still be known when its sender comes again.
    await journal.add(requests);
    await deleteSegment(folder, segment);
    // Not before: a segment that is loaded again finds the same ones again.
    if (duplicates) onDuplicates(duplicates);
    // The store does not sync its record of tokens: after a power loss it might take a segment that came back for a new one.
    await syncFolder(folder);
  };
  const refuseWhole = async (segment: Segment, error: UnreadableSegment) => {
    const path = segmentPath(folder, segment);
    const kept = await refused.move(path, basename(path)).catch(() => 'where it is, for the next start');
    logger.error({ kept, error: error.message }, 'a spooled segment cannot be read; it was set aside');
    options.onRefused();
  };

  return {
    async load(segment, signal) {
      for (let failures = 1, unreadable = 0; ; failures++) {
        try {
          await insertAll(segment, signal);
          trouble = undefined;
          return;
        } catch (error) {
          signal.throwIfAborted();
          trouble = error instanceof Error ? error.message : String(error);
          if (error instanceof UnreadableSegment && ++unreadable >= READ_TRIES) return refuseWhole(segment, error);
          const details = { segment: segment.name, error: String(error) };
          logger.error(details, 'a spooled segment cannot be read or split, trying again');
          await clock.sleep(backoffDelay(RETRY, failures, Math.random()), signal);
        }
      }
    },
    trouble: () => trouble,
  };
}
