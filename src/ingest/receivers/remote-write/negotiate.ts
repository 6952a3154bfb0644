import type { ContentType } from '../../doors/index.ts';
import { RefusedRequest } from '../wire/index.ts';

/** Which message a request holds. */
export type WriteVersion = 1 | 2;

const MESSAGES: Readonly<Record<string, WriteVersion>> = {
  'prometheus.WriteRequest': 1,
  'io.prometheus.write.v2.Request': 2,
};

/**
 * The version by the content type's `proto` parameter, 1 without it (senders of 1.0 know of none). The header
 * X-Prometheus-Remote-Write-Version does not decide, as in Prometheus: senders set it wrongly. Throws RefusedRequest with 415.
 */
export function negotiateVersion({ type, parameters }: ContentType, encoding: string | undefined): WriteVersion {
  if (type !== 'application/x-protobuf') {
    throw new RefusedRequest(415, `content type "${type}" is not remote write: send application/x-protobuf`);
  }
  const message = parameters.get('proto') ?? 'prometheus.WriteRequest';
  const version = Object.hasOwn(MESSAGES, message) ? MESSAGES[message] : undefined;
  if (version === undefined) {
    const known = Object.keys(MESSAGES).join(' or ');
    throw new RefusedRequest(415, `message ${message} is not supported: send ${known}`);
  }
  if ((encoding ?? 'snappy').trim().toLowerCase() !== 'snappy') {
    throw new RefusedRequest(415, `content encoding "${encoding}" is not supported: remote write uses snappy`);
  }
  return version;
}
