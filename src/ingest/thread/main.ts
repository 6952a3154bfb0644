/** The ingest thread: the ingest service behind a line to the main thread, which has the sockets and the spool. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Logger, systemClock } from '../../base/index.ts';
import { createIngestService, type IngestServiceSettings } from '../service.ts';
import { createSpoolWriter } from '../spool/index.ts';
import { openLine } from './calls.ts';
import type { HostMethods, ThreadMethods } from './host.ts';
import { createSeriesUnpacker } from './series-ids.ts';

if (parentPort === null) throw new Error('this runs as a thread of the server');

const settings = workerData as IngestServiceSettings; // the host gives just this
const log = (level: keyof Logger) => (fields: object, message: string) => void host.log(level, fields, message);
const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };

const unpack = createSeriesUnpacker();
const methods: ThreadMethods = {
  handle: (request) => service.handle({ ...request, body: asBuffer(request.body) }),
  refused: (door, failure, sender) => service.refused(door, failure, sender),
  accept: (batch, origin) => service.sink.accept(unpack(batch), origin),
  drop: (rejection, origin) => service.sink.drop(rejection, origin),
  telemetry: () => service.telemetry(),
  activeSeries: () => service.activeSeries(),
  metrics: () => service.metrics(),
  loopDelay: () => service.loopDelay(),
  forget: () => spool.forget(),
};
const host = openLine<HostMethods>(parentPort, methods).remote;
const spool = createSpoolWriter((blocks, request) => host.append(blocks, request), systemClock);
const service = createIngestService({ settings, spool, clock: systemClock, logger });

/** A buffer that came from another thread is a plain array of bytes. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
