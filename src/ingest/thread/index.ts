/** The ingest service in a thread of its own. It knows neither protocols nor tables: it carries calls to and fro. */

export { type IngestThread, startIngestThread } from './host.ts';
