import { createHash } from 'node:crypto';
import type { Clock, Logger } from '../../base/index.ts';
import type { BatchOrigin, Rejection, RequestMark, SignalSink } from '../sink.ts';
import { parseContentType } from './content-type.ts';
import type { Door, DoorAnswer, DoorHandler, DoorRequest, Failure, Receiver } from './door.ts';
import { logUnexpected, toFailure } from './failure.ts';

/** What the servers hand requests to. */
export interface DoorService {
  handle(request: DoorRequest): Promise<DoorAnswer>;
  /** Counts a request that was refused before its body was here. */
  refused(door: string, failure: Failure, sender: string): void;
}

/** Runs work once per request, also when its sender repeats it. */
export interface OnceByRequest {
  once(mark: RequestMark, origin: BatchOrigin, work: () => Promise<DoorAnswer>): Promise<DoorAnswer>;
}

/**
 * All doors of these receivers behind one function. A request that fails is answered in its protocol's words and
 * counted; it takes nothing else down.
 */
export function openDoors<Options extends { sink: SignalSink; clock: Clock; logger: Logger }>(
  receivers: readonly Receiver<Options>[],
  options: Options & { repetitions?: OnceByRequest; admit?: (door: Door, request: DoorRequest) => void },
): DoorService {
  const { sink, clock, logger, repetitions, admit } = options;
  const doors = new Map<string, { door: Door; handle: DoorHandler }>();
  for (const receiver of receivers) {
    const handlers = receiver.open(options);
    for (const door of receiver.doors) {
      const handle = handlers.get(door.name);
      if (handle === undefined) throw new Error(`nothing handles the door ${door.name}`);
      doors.set(door.name, { door, handle });
    }
  }
  const known = (name: string) => {
    const found = doors.get(name);
    if (found === undefined) throw new Error(`there is no door ${name}`);
    return found;
  };
  const count = (door: Door, failure: Failure, sender: string) => {
    const reason = DROPPED_BECAUSE[failure.kind];
    if (reason === undefined) return;
    const rejection: Rejection = { signal: door.signal, reason, count: 1, example: failure.message };
    sink.drop(rejection, { protocol: door.protocol, sender });
  };

  return {
    async handle(request) {
      const { door, handle } = known(request.door);
      const mark: RequestMark = { hash: hashOf(request), atMs: clock.now() };
      const work = async () => {
        try {
          admit?.(door, request);
          return await handle({ ...request, mark });
        } catch (error) {
          const failure = toFailure(error);
          if (failure.kind === 'unexpected') logUnexpected(logger, door, error);
          count(door, failure, request.sender);
          return failed(door, failure, request.headers['content-type']);
        }
      };
      const origin: BatchOrigin = { protocol: door.protocol, sender: request.sender };
      return repetitions === undefined ? work() : repetitions.once(mark, origin, work);
    },
    refused(name, failure, sender) {
      count(known(name).door, failure, sender);
    },
  };
}

/** The failure in the words of the door's protocol. */
export function failed(door: Door, failure: Failure, contentType: string | undefined): DoorAnswer {
  const answer = door.fail(failure, parseContentType(contentType));
  if (failure.retryAfterSeconds === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(failure.retryAfterSeconds) } };
}

/** Back-pressure is counted where it arises, by the number of signals. */
const DROPPED_BECAUSE: Partial<Record<Failure['kind'], Rejection['reason']>> = {
  malformed: 'unreadable',
  'too-large': 'oversize',
};

/** Where signals of this request come from. */
export function originOf(
  request: DoorRequest,
  protocol: BatchOrigin['protocol'],
  cluster: string | undefined,
): BatchOrigin {
  const { body, sender, mark } = request;
  const named = request.headers[CLUSTER_HEADER]?.slice(0, 253) || cluster;
  return {
    protocol,
    bytes: body.length,
    sender,
    ...(mark === undefined ? {} : { request: mark }),
    ...(named === undefined ? {} : { cluster: named }),
  };
}

/** Names the cluster of signals that do not name one themselves: for imports, and senders that can set a header only. */
export const CLUSTER_HEADER = 'x-trifocal-cluster';

/** The same for the same bytes at the same door in the same encoding, for the same cluster. */
function hashOf({ door, headers, body }: DoorRequest): Uint8Array {
  const about = ['content-type', 'content-encoding', CLUSTER_HEADER].map((name) => headers[name] ?? '');
  return createHash('sha256')
    .update([door, ...about, ''].join('\0'))
    .update(body)
    .digest()
    .subarray(0, 16);
}
