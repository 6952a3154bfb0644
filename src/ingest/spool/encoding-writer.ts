import type { Clock } from '../../base/index.ts';
import type { SignalBatch } from '../../model/index.ts';
import { createBatchEncoder, type EncodedBlock } from '../../store/index.ts';
import type { RequestMark } from '../sink.ts';

/** Takes batches for a spool that may live in another thread. */
export interface SpoolWriter {
  /** Resolves when the batch is durable; throws BackPressureError when it cannot be now. Takes ownership of the batch. */
  append(batch: SignalBatch, request?: RequestMark): Promise<void>;
  /** Rows of earlier batches were lost: series are introduced again. */
  forget(): void;
}

/** Encodes batches into the blocks that a spool takes. */
export function createSpoolWriter(
  append: (blocks: readonly EncodedBlock[], request?: RequestMark) => Promise<void>,
  clock: Clock,
): SpoolWriter {
  const encoder = createBatchEncoder(clock);
  return {
    async append(batch, request) {
      const { blocks, stored } = encoder.encode(batch);
      if (blocks.length === 0) return;
      await append(blocks, request);
      stored();
    },
    forget: encoder.forget,
  };
}
