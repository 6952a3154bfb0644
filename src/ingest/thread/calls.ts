import type { MessagePort, Worker } from 'node:worker_threads';
import { BackPressureError, RateLimitError } from '../sink.ts';

/** Functions that the other side may call. Arguments and results are plain data. */
export type Methods = Record<string, (...args: never[]) => unknown>;

/** The other side's functions, each of which answers later. */
export type Remote<M extends Methods> = {
  [Name in keyof M]: (...args: Parameters<M[Name]>) => Promise<Awaited<ReturnType<M[Name]>>>;
};

export interface Line<M extends Methods> {
  remote: Remote<M>;
  /** Rejects everything that waits for an answer, and all later calls. */
  cut(reason: Error): void;
}

type Message =
  | { kind: 'call'; id: number; name: string; args: unknown[] }
  | { kind: 'result'; id: number; value: unknown }
  | { kind: 'error'; id: number; error: SentError };

interface SentError {
  kind: 'busy' | 'limited' | 'other';
  message: string;
  stack: string | undefined;
  retryAfterSeconds: number;
}

/** Functions both ways over the port between two threads. Large bodies change hands without being copied. */
export function openLine<M extends Methods>(port: MessagePort | Worker, local: Methods): Line<M> {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  let broken: Error | undefined;

  /** What is said within one turn goes as one message: a message costs the more the more of them there are. */
  let outbox: Message[] = [];
  let moved: ArrayBuffer[] = [];
  const flush = () => {
    const messages = outbox;
    const buffers = moved;
    outbox = [];
    moved = [];
    try {
      port.postMessage(messages, buffers);
    } catch {
      for (const message of messages) sendAlone(message);
    }
  };
  /** One of several cannot be sent; the others can. */
  const sendAlone = (message: Message) => {
    try {
      port.postMessage([message]);
    } catch (error) {
      if (message.kind !== 'call') {
        port.postMessage([{ kind: 'error', id: message.id, error: toSent(error) }]);
        return;
      }
      waiting.get(message.id)?.reject(new Error(`${message.name} cannot be sent`, { cause: error }));
      waiting.delete(message.id);
    }
  };
  const post = (message: Message, payload: unknown) => {
    if (outbox.length === 0) setImmediate(flush);
    outbox.push(message);
    for (const buffer of ownBuffers(payload)) if (!moved.includes(buffer)) moved.push(buffer);
  };
  const answer = async ({ id, name, args }: Message & { kind: 'call' }) => {
    try {
      const method = local[name];
      if (method === undefined) throw new Error(`nothing answers ${name}`);
      // Who calls has the types of these arguments from `Remote`.
      const value = await method(...(args as never[]));
      post({ kind: 'result', id, value }, value);
    } catch (error) {
      post({ kind: 'error', id, error: toSent(error) }, undefined);
    }
  };
  const take = (message: Message) => {
    if (message.kind === 'call') {
      void answer(message);
      return;
    }
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'result') asked?.resolve(message.value);
    else asked?.reject(fromSent(message.error));
  };
  port.on('message', (messages: Message[]) => {
    for (const message of messages) take(message);
  });
  const call = (name: string, args: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (broken !== undefined) return reject(broken);
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      post({ kind: 'call', id, name, args }, args);
    });
  return {
    // Every name gives a function that sends the call, which is what Remote says.
    remote: new Proxy(
      {},
      {
        get:
          (_, name) =>
          (...args: unknown[]) =>
            call(String(name), args),
      },
    ) as Remote<M>,
    cut(reason) {
      broken = reason;
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}

const WORTH_MOVING = 16 * 1024;

/** Memory that belongs to one large array alone, found at the top of what is sent; the sender has no use for it afterwards. */
function ownBuffers(payload: unknown): ArrayBuffer[] {
  const found: ArrayBuffer[] = [];
  const look = (value: unknown, depth: number) => {
    if (ArrayBuffer.isView(value)) {
      const { buffer, byteLength } = value;
      if (byteLength >= WORTH_MOVING && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) {
        if (!found.includes(buffer)) found.push(buffer);
      }
    } else if (Array.isArray(value)) {
      if (value.length <= 64) for (const item of value) look(item, depth + 1);
    } else if (depth < 3 && typeof value === 'object' && value !== null && !(value instanceof Map)) {
      for (const item of Object.values(value)) look(item, depth + 1);
    }
  };
  look(payload, 0);
  return found;
}

function toSent(error: unknown): SentError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const kind = error instanceof RateLimitError ? 'limited' : error instanceof BackPressureError ? 'busy' : 'other';
  const retryAfterSeconds = error instanceof BackPressureError ? error.retryAfterSeconds : 0;
  return { kind, message, stack, retryAfterSeconds };
}

function fromSent({ kind, message, stack, retryAfterSeconds }: SentError): Error {
  if (kind === 'limited') return new RateLimitError(message, retryAfterSeconds);
  if (kind === 'busy') return new BackPressureError(message, retryAfterSeconds);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
