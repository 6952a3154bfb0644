import {
  Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  setLogger,
  status,
} from '@grpc/grpc-js';
import type { Logger } from '../../base/index.ts';
import type { Admission } from './admission.ts';
import type { Door, DoorAnswer } from './door.ts';
import { logUnexpected, toFailure } from './failure.ts';
import { type DoorService, failed } from './open.ts';
import { addressOf, senderOf } from './sender.ts';

export interface GrpcDoors {
  /** The port it listens on, also when the address asked for any (`127.0.0.1:0`). */
  port: number;
  /** Lets running calls finish for up to five seconds. */
  close(): Promise<void>;
}

const CLOSE_MS = 5000;
/**
 * What one connection may have under way. The library reads messages whole before anybody can refuse them, so this is what
 * bounds their memory: with the largest messages about 160 MB a connection.
 */
const MAX_CONCURRENT_CALLS = 8;

/** The gRPC doors on `host:port`, without TLS. Rejects when the address cannot be bound. */
export async function startGrpcDoors(
  address: string,
  doors: readonly Door[],
  options: { service: DoorService; admission: Admission; maxBodyBytes: number; logger: Logger },
): Promise<GrpcDoors> {
  const { service, admission, logger, maxBodyBytes } = options;
  setLogger(quietConsole((text) => logger.debug({ library: 'grpc-js' }, text)));
  const server = new Server({
    'grpc.max_receive_message_length': maxBodyBytes,
    'grpc.max_concurrent_streams': MAX_CONCURRENT_CALLS,
    interceptors: [watchOversize(doors, service)],
  });

  for (const door of doors) {
    if (door.transport !== 'grpc') continue;
    const handle = async (call: ServerUnaryCall<Buffer, Buffer>): Promise<DoorAnswer> => {
      const address = addressOf(hostOf(call.getPeer()));
      const sender = senderOf(address, textOf(call.metadata.get('user-agent')[0]));
      const room = admission.enter(address);
      try {
        room.grow(call.request.length);
        const request = { door: door.name, headers: GRPC_HEADERS, body: call.request, sender };
        return await admission.inTurn(sender, () => service.handle(request));
      } catch (error) {
        const failure = toFailure(error);
        if (failure.kind === 'unexpected') logUnexpected(logger, door, error);
        service.refused(door.name, failure, sender);
        return failed(door, failure, GRPC_HEADERS['content-type']);
      } finally {
        room.release();
      }
    };
    server.addService(serviceAt(door.path), {
      call(call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) {
        handle(call).then((result) => reply(result, answer));
      },
    });
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { port, close: () => close(server) };
}

/** The library answers what is too large, also once unpacked, before anybody sees it: here it is counted. */
function watchOversize(doors: readonly Door[], service: DoorService): ServerInterceptor {
  return ({ path }, call) => {
    const door = doors.find((one) => one.transport === 'grpc' && one.path === path);
    const answer = call.sendStatus.bind(call);
    call.sendStatus = (sent) => {
      const message = sent.details ?? '';
      if (door !== undefined && sent.code === status.RESOURCE_EXHAUSTED && /^Received message .*larger/.test(message)) {
        service.refused(
          door.name,
          { kind: 'too-large', status: 413, message },
          senderOf(hostOf(call.getPeer()), undefined),
        );
      }
      answer(sent);
    };
    return new ServerInterceptingCall(call);
  };
}

const GRPC_HEADERS = { 'content-type': 'application/x-protobuf' };

function reply({ status: code, headers, body }: DoorAnswer, answer: sendUnaryData<Buffer>): void {
  if (code === status.OK) {
    answer(null, Buffer.from(body.buffer, body.byteOffset, body.byteLength));
    return;
  }
  const metadata = new Metadata();
  const details = headers['grpc-status-details-bin'];
  if (details !== undefined) metadata.set('grpc-status-details-bin', Buffer.from(details, 'base64'));
  answer({ code, details: headers['grpc-message'] ?? '', metadata });
}

function hostOf(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}

function textOf(value: string | Buffer | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The library writes to the console by itself; what matters of it reaches callers as errors. */
function quietConsole(log: (text: string) => void): Partial<Console> {
  const write = (...parts: unknown[]) => log(parts.map(String).join(' '));
  return { error: write, info: write, debug: write };
}

/** Bytes in, bytes out: decoding is ours, so that both transports have one decoder. */
function serviceAt(path: string): ServiceDefinition {
  const same = (bytes: Buffer) => bytes;
  return {
    call: {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    },
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.forceShutdown(), CLOSE_MS);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });
}
