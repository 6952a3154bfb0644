import { ProtoWriter } from '../wire/index.ts';
import type { ExportResult } from './export.ts';

/** `Export…ServiceResponse`; the three differ in names only. Full success is the empty message. */
export function exportResponse({ rejected, message }: ExportResult): Buffer {
  if (rejected === 0 && message === '') return Buffer.alloc(0);
  return new ProtoWriter().bytes(1, new ProtoWriter().varint(1, rejected).bytes(2, message)).finish();
}

/** `google.rpc.Status`, with `RetryInfo` among its details when the sender should come again. */
export function statusMessage(code: number, message: string, retryAfterSeconds?: number): Buffer {
  const status = new ProtoWriter().varint(1, code).bytes(2, message);
  if (retryAfterSeconds !== undefined) {
    const retryInfo = new ProtoWriter().bytes(1, new ProtoWriter().varint(1, Math.ceil(retryAfterSeconds)));
    status.bytes(3, new ProtoWriter().bytes(1, 'type.googleapis.com/google.rpc.RetryInfo').bytes(2, retryInfo));
  }
  return status.finish();
}
