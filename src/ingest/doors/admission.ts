import { BackPressureError } from '../sink.ts';

/**
 * Bounds the memory that bodies of requests take while they arrive, wait and are worked on, and lets senders take turns:
 * one that floods the doors waits behind itself, not in front of others.
 */
export interface Admission {
  /**
   * Room for a body, to be taken before it is read; given back by calling the result, any number of times. Throws
   * BackPressureError when all room is taken, or half of it by the same sender.
   */
  reserve(sender: string, bytes: number): () => void;
  /** Runs `work` when it is the sender's turn. */
  inTurn<T>(sender: string, work: () => Promise<T>): Promise<T>;
  /** Bytes that are reserved now, and requests that wait for their turn. */
  stats(): { bytes: number; waiting: number };
}

const RETRY_AFTER_SECONDS = 2;

export function createAdmission(options: { maxBytes: number; concurrency: number }): Admission {
  const { maxBytes, concurrency } = options;
  const reservedBy = new Map<string, number>();
  let reserved = 0;
  /** In the order of turns: a sender that was served goes to the end. */
  const queues = new Map<string, (() => void)[]>();
  let running = 0;
  let waiting = 0;

  const next = () => {
    while (running < concurrency) {
      const [first] = queues;
      if (first === undefined) return;
      const [sender, queue] = first;
      const start = queue.shift();
      queues.delete(sender);
      if (queue.length > 0) queues.set(sender, queue);
      if (start === undefined) continue;
      waiting--;
      running++;
      start();
    }
  };

  return {
    reserve(sender, bytes) {
      const own = reservedBy.get(sender) ?? 0;
      if (reserved + bytes > maxBytes) {
        throw new BackPressureError(
          `${reserved} bytes of other requests are being taken in already`,
          RETRY_AFTER_SECONDS,
        );
      }
      // The last half is for others, or a single sender could shut them out.
      if (own > 0 && own + bytes > maxBytes / 2) {
        throw new BackPressureError(`${own} bytes of this sender are being taken in already`, RETRY_AFTER_SECONDS);
      }
      reserved += bytes;
      reservedBy.set(sender, own + bytes);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        reserved -= bytes;
        const left = (reservedBy.get(sender) ?? 0) - bytes;
        if (left > 0) reservedBy.set(sender, left);
        else reservedBy.delete(sender);
      };
    },
    async inTurn(sender, work) {
      await new Promise<void>((resolve) => {
        const queue = queues.get(sender);
        if (queue) queue.push(resolve);
        else queues.set(sender, [resolve]);
        waiting++;
        next();
      });
      try {
        return await work();
      } finally {
        running--;
        next();
      }
    },
    stats: () => ({ bytes: reserved, waiting }),
  };
}
