import type { IncomingMessage } from 'node:http';
import { RefusedRequest, tooLarge } from '../errors.ts';
import type { Room } from './admission.ts';

/** A body that makes no progress for this long is given up. */
const STALLED_MS = 10_000;

/**
 * The whole body, for which room is taken as it arrives: what is announced and does not come costs nothing. Throws
 * RefusedRequest for a body over the limit or one that stalls, BackPressureError when there is no room.
 */
export function readBody(payload: IncomingMessage, room: Room, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: unknown) => {
      settle();
      payload.resume(); // what still comes is not kept
      reject(error);
    };
    const stalled = () => fail(new RefusedRequest(408, `no byte of the body came for ${STALLED_MS / 1000} s`));
    let timer = setTimeout(stalled, STALLED_MS);
    const onData = (chunk: Buffer) => {
      clearTimeout(timer);
      timer = setTimeout(stalled, STALLED_MS);
      size += chunk.length;
      try {
        if (size > maxBytes) throw tooLarge(maxBytes);
        room.grow(chunk.length);
      } catch (error) {
        fail(error);
        return;
      }
      chunks.push(chunk);
    };
    const onEnd = () => {
      settle();
      resolve(Buffer.concat(chunks, size));
    };
    const onClose = () => fail(new RefusedRequest(400, 'the body ended before its time'));
    const settle = () => {
      clearTimeout(timer);
      payload.off('data', onData).off('end', onEnd).off('error', fail).off('close', onClose);
    };
    payload.on('data', onData).on('end', onEnd).on('error', fail).on('close', onClose);
  });
}
