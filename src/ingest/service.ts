import type { Clock, Logger } from '../base/index.ts';
import { type LoopDelay, watchLoop } from '../base/node/index.ts';
import type { NewestSamples } from '../store/index.ts';
import { type DoorService, openDoors } from './doors/index.ts';
import { createIngest, type IngestSettings } from './ingest.ts';
import type { CardinalityReport, RedactionMatch, RuleState } from './pipeline/index.ts';
import { configureRedactText } from './pipeline/index.ts';
import { receivers } from './receivers/index.ts';
import type { SignalSink } from './sink.ts';
import type { SpoolWriter, TakenIn } from './spool/index.ts';
import type { IngestTelemetry } from './telemetry.ts';

/** What may be set from outside; plain data, since it goes to another thread. */
export interface IngestServiceSettings extends IngestSettings {
  /** Bytes of one request, as sent and again after decompression. */
  maxBodyBytes: number;
}

/**
 * Everything between the servers that carry requests and the spool: doors, decoding, pipeline, counters. Lives in a thread
 * of its own in the running server; every answer is a promise of plain data for that reason.
 */
export interface IngestService extends DoorService {
  sink: SignalSink;
  telemetry(): Promise<IngestTelemetry>;
  /** Series seen within the last one to two hours. */
  activeSeries(): Promise<number>;
  /** Of these clusters, or of all: how many series there are and what limits refused. */
  cardinality(clusters?: readonly string[]): Promise<CardinalityReport>;
  /** The redaction rules and how often each hid something. */
  redaction(): Promise<RuleState[]>;
  /** What would be written of a text, and where what was hidden. */
  explainRedaction(text: string): Promise<{ text: string; matches: RedactionMatch[] }>;
  /** Own metrics of ingest in Prometheus' text format. */
  metrics(): Promise<string>;
  loopDelay(): Promise<LoopDelay>;
}

export function createIngestService(options: {
  settings: IngestServiceSettings;
  spool: Pick<SpoolWriter, 'append'>;
  clock: Clock;
  logger: Logger;
  /** What earlier processes took in. */
  takenIn: TakenIn;
  /** Asked when that does not say how new the stored samples are. */
  newestSamples: () => Promise<NewestSamples>;
}): IngestService {
  const { settings, spool, clock, logger, takenIn, newestSamples } = options;
  // Receivers write error texts of their own, which may quote what came.
  configureRedactText(settings.redaction ?? {});
  const ingest = createIngest({ ...settings, spool, clock, logger, takenIn });
  if (takenIn.samples === undefined) {
    const still = (error: unknown) =>
      logger.debug({ error: String(error) }, 'samples go on being compared with the store');
    newestSamples().then(ingest.learn).catch(still);
  }
  const doors = openDoors(receivers, {
    sink: ingest.sink,
    clock,
    logger,
    limits: { maxBodyBytes: settings.maxBodyBytes },
    ...(settings.accept === undefined ? {} : { accept: settings.accept }),
    ...(settings.lines?.streamLabels === undefined ? {} : { streamLabels: settings.lines.streamLabels }),
    repetitions: ingest.repetitions,
    admit: ({ protocol, signal }, { sender, body }) => ingest.admit({ sender, protocol, signal, bytes: body.length }),
  });
  return {
    ...doors,
    sink: ingest.sink,
    telemetry: async () => ingest.telemetry(),
    activeSeries: async () => ingest.activeSeries(),
    cardinality: async (clusters) => ingest.cardinality(clusters),
    redaction: async () => ingest.redaction(),
    explainRedaction: async (text) => ingest.explainRedaction(text),
    metrics: () => ingest.metrics.metrics(),
    loopDelay: watchLoop(),
  };
}
