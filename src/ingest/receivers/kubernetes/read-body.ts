import type { IncomingMessage } from 'node:http';

/** The server stopped sending in the middle of something. */
export class SilenceError extends Error {
  override name = 'SilenceError';
}

/** A list page or one watch event was larger than anything sound. */
export class OversizeError extends Error {
  override name = 'OversizeError';
}

/** The whole body, bounded in size and in silence between chunks. */
export async function readBody(
  response: IncomingMessage,
  bounds: { maxBytes: number; silenceMs: number },
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(response, bounds.silenceMs)) {
    size += chunk.length;
    if (size > bounds.maxBytes) throw new OversizeError(`a response of more than ${bounds.maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

/**
 * The lines of a watch, all that arrived together at once, so that they travel as one batch. The next chunk is read when
 * the caller comes back: a slow store slows the server down instead of filling memory.
 */
export async function* readLines(
  response: IncomingMessage,
  bounds: { maxBytes: number; silenceMs: number },
): AsyncGenerator<string[]> {
  let rest: Buffer[] = [];
  let restSize = 0;
  for await (const chunk of chunksOf(response, bounds.silenceMs)) {
    const end = chunk.lastIndexOf(10);
    if (end === -1) {
      rest.push(chunk);
      restSize += chunk.length;
    } else {
      const whole = Buffer.concat([...rest, chunk.subarray(0, end)]).toString('utf8');
      rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
      restSize = chunk.length - end - 1;
      yield whole.split('\n').filter((line) => line.trim() !== '');
    }
    if (restSize > bounds.maxBytes) throw new OversizeError(`a watch event of more than ${bounds.maxBytes} bytes`);
  }
  const last = Buffer.concat(rest).toString('utf8');
  if (last.trim() !== '') yield [last];
}

async function* chunksOf(response: IncomingMessage, silenceMs: number): AsyncGenerator<Buffer> {
  const iterator: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      // Only the wait for the server counts, not the time in which the caller works.
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new SilenceError(`nothing came for ${silenceMs / 1000} s`)), silenceMs);
      });
      const next = await Promise.race([iterator.next(), silence]).finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value;
    }
  } finally {
    response.destroy();
  }
}
