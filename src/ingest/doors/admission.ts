import { BackPressureError } from '../sink.ts';

/**
 * Bounds the memory that bodies of requests take while they arrive, wait and are worked on, and lets senders take turns:
 * one that floods the doors waits behind itself, not in front of others.
 */
export interface Admission {
  /** Room for a body that is about to come from this address; to be given back when nobody holds the body any more. */
  enter(address: string): Room;
  /** Runs `work` when it is the sender's turn. */
  inTurn<T>(sender: string, work: () => Promise<T>): Promise<T>;
  /** Bytes that are reserved now, and requests that wait for their turn. */
  stats(): { bytes: number; waiting: number };
}

export interface Room {
  /** For further bytes. Throws BackPressureError when all room is taken, or half of it by the same address. */
  grow(bytes: number): void;
  /** May be called any number of times. */
  release(): void;
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
    enter(address) {
      let held = 0;
      let over = false;
      const take = (bytes: number) => {
        held += bytes;
        reserved += bytes;
        const left = (reservedBy.get(address) ?? 0) + bytes;
        if (left > 0) reservedBy.set(address, left);
        else reservedBy.delete(address);
      };
      return {
        grow(bytes) {
          if (over) return;
          const own = reservedBy.get(address) ?? 0;
          if (reserved + bytes > maxBytes) throw noRoom(`${reserved} bytes of requests are being taken in already`);
          // The last half is for others, or one that floods could shut them out.
          if (own + bytes > maxBytes / 2) throw noRoom(`${own} bytes from this address are being taken in already`);
          take(bytes);
        },
        release() {
          if (over) return;
          over = true;
          take(-held);
        },
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

function noRoom(message: string): BackPressureError {
  return new BackPressureError(message, RETRY_AFTER_SECONDS);
}
