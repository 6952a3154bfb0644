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
  handle: async (request) => (await service).handle({ ...request, body: asBuffer(request.body) }),
  refused: async (door, failure, sender) => (await service).refused(door, failure, sender),
  accept: (batch, origin) => {
    const unpacked = unpack(batch); // at once, since one batch names what the one before introduced
    return service.then(({ sink }) => sink.accept(unpacked, origin));
  },
  drop: async (rejection, origin) => (await service).sink.drop(rejection, origin),
  telemetry: async () => (await service).telemetry(),
  activeSeries: async () => (await service).activeSeries(),
  cardinality: async (clusters) => (await service).cardinality(clusters),
  redaction: async () => (await service).redaction(),
  explainRedaction: async (text) => (await service).explainRedaction(text),
  metrics: async () => (await service).metrics(),
  loopDelay: async () => (await service).loopDelay(),
  forget: () => spool.forget(),
};
const host = openLine<HostMethods>(parentPort, methods).remote;
const spool = createSpoolWriter((blocks, request) => host.append(blocks, request), systemClock);
/** No request is let in before it is known what was taken in already. */
const service = host.takenIn().then((takenIn) =>
  createIngestService({
    settings,
    spool,
    clock: systemClock,
    logger,
    takenIn,
    newestSamples: () => host.newestSamples(),
  }),
);

/** A buffer that came from another thread is a plain array of bytes. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
