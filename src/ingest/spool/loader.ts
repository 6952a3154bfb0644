import { type Backoff, backoffDelay, type Clock, type Logger } from '../../base/index.ts';
import { type ClickHousePort, type QueryLimits, StoreError, type StoreErrorKind } from '../../store/index.ts';
import { deleteFile, deleteSegment, type Segment, setAside, splitSegment, type TableFile } from './segments.ts';

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

export interface SegmentLoader {
  /** Inserts the segment and deletes it. Rejects only when `signal` aborts; then nothing is lost, it can be loaded again. */
  load(segment: Segment, signal: AbortSignal): Promise<void>;
  /** Files that the store refused for good. */
  refused(): number;
}

export function createSegmentLoader(options: {
  folder: string;
  port: ClickHousePort;
  clock: Clock;
  logger: Logger;
  /** Rows were set aside. */
  onRefused: () => void;
}): SegmentLoader {
  const { folder, port, clock, logger } = options;
  let refused = 0;

  const insert = async (segment: Segment, file: TableFile, signal: AbortSignal): Promise<void> => {
    const failures = new Map<StoreErrorKind, number>();
    for (let total = 1; ; total++) {
      try {
        const token = `${segment.name}.${file.table}`;
        await port.insertSegment({ table: file.table, file: file.path, token }, { limits: INSERT_LIMITS, signal });
        await deleteFile(file);
        return;
      } catch (error) {
        signal.throwIfAborted();
        const kind = error instanceof StoreError ? error.kind : 'internal';
        const count = (failures.get(kind) ?? 0) + 1;
        failures.set(kind, count);
        if (count >= TRIES[kind]) return await refuse(file, error);
        const log = kind === 'down' ? logger.debug : logger.warn;
        log.call(logger, { table: file.table, error: String(error) }, 'the store did not take a segment, trying again');
        await clock.sleep(backoffDelay(RETRY, total, Math.random()), signal);
      }
    }
  };
  const refuse = async (file: TableFile, error: unknown) => {
    const kept = await setAside(folder, file);
    refused++;
    logger.error({ table: file.table, kept, error: String(error) }, 'the store refuses rows; they were set aside');
    options.onRefused();
  };

  return {
    async load(segment, signal) {
      for (const file of await splitSegment(folder, segment)) await insert(segment, file, signal);
      await deleteSegment(folder, segment);
    },
    refused: () => refused,
  };
}
