import type { BatchOrigin, Rejection, RequestMark } from '../sink.ts';
import type { ContentType } from './content-type.ts';

/** One request as it came in, whatever carried it. Plain data, since it goes to another thread. */
export interface DoorRequest {
  /** Name of the door it came to. */
  door: string;
  /** Those that the door asks for, names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Who sent it, as far as the connection tells: address and program. */
  sender: string;
  /** Its identity; there once it has come through the door. */
  mark?: RequestMark;
}

/**
 * What goes back. Over HTTP a status code, headers and body; over gRPC the status code of gRPC, the message, and as
 * headers the trailers `grpc-message` and `grpc-status-details-bin` (base64).
 */
export interface DoorAnswer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** What went wrong with a request, in the terms that all protocols share. */
export interface Failure {
  /** `incomplete`: the sender went away or fell silent; what it had to say is not lost by that. */
  kind: 'malformed' | 'incomplete' | 'too-large' | 'unsupported' | 'busy' | 'limited' | 'unexpected';
  status: number;
  message: string;
  /** Seconds after which the sender may come again, where `kind` is `busy` or `limited`. */
  retryAfterSeconds?: number;
}

/** A place where one kind of request comes in. Static and free of state: what handles its requests lives elsewhere. */
export interface Door {
  name: string;
  transport: 'http' | 'grpc';
  /** Path of the URL, or of the gRPC method. */
  path: string;
  /** Headers that its handler looks at, beside those of content. */
  headers?: readonly string[];
  protocol: BatchOrigin['protocol'];
  /** What is lost with a request of it that cannot be read. */
  signal: Rejection['signal'];
  /** Says a failure in the protocol's words. Retry-After is added by the caller. */
  fail(failure: Failure, type: ContentType): DoorAnswer;
}

/** Decodes a request, gives it to the sink, and answers. Whatever it throws becomes a Failure. */
export type DoorHandler = (request: DoorRequest) => Promise<DoorAnswer>;

/** One protocol: its doors, and what handles their requests. */
export interface Receiver<Options> {
  doors: readonly Door[];
  /** Handlers by the name of their door, with the state that they share. */
  open(options: Options): ReadonlyMap<string, DoorHandler>;
}

export const noBody = new Uint8Array(0);

/** An answer whose body is text for people. */
export function textAnswer(status: number, text: string): DoorAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from(text) };
}
