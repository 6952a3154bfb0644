import type { Logger } from '../../base/index.ts';
import { DecodeError, RefusedRequest } from '../errors.ts';
import { redactText } from '../pipeline/index.ts';
import { BackPressureError, RateLimitError } from '../sink.ts';
import type { Door, Failure } from './door.ts';

/** What an error that ended a request means to its sender; without secrets, since senders write it into their logs. */
export function toFailure(error: unknown): Failure {
  if (error instanceof RateLimitError) {
    return { kind: 'limited', status: 429, message: error.message, retryAfterSeconds: wholeSeconds(error) };
  }
  if (error instanceof BackPressureError) {
    return { kind: 'busy', status: 503, message: error.message, retryAfterSeconds: wholeSeconds(error) };
  }
  if (error instanceof DecodeError) return { kind: 'malformed', status: 400, message: redactText(error.message) };
  if (error instanceof RefusedRequest) {
    return { kind: KINDS[error.status], status: error.status, message: redactText(error.message) };
  }
  return { kind: 'unexpected', status: 500, message: 'unexpected error; the log has the details' };
}

const KINDS: Record<RefusedRequest['status'], Failure['kind']> = {
  400: 'malformed',
  408: 'incomplete',
  413: 'too-large',
  415: 'unsupported',
};

/** What its sender is not told. */
export function logUnexpected(logger: Logger, door: Pick<Door, 'name'>, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  logger.error({ door: door.name, error: text }, 'a request failed unexpectedly');
}

function wholeSeconds({ retryAfterSeconds }: BackPressureError): number {
  return Math.max(1, Math.ceil(retryAfterSeconds));
}
