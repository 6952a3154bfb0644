import { DecodeError, RefusedRequest } from '../errors.ts';
import { redactText } from '../pipeline/index.ts';
import { BackPressureError, RateLimitError } from '../sink.ts';
import type { Failure } from './door.ts';

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
    const kind = error.status === 413 ? 'too-large' : error.status === 415 ? 'unsupported' : 'malformed';
    return { kind, status: error.status, message: redactText(error.message) };
  }
  return { kind: 'unexpected', status: 500, message: 'unexpected error; the log has the details' };
}

function wholeSeconds({ retryAfterSeconds }: BackPressureError): number {
  return Math.max(1, Math.ceil(retryAfterSeconds));
}
