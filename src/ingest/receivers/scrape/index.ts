/** Pulls pages of metrics from static targets, as Prometheus does. Nothing here stores: batches go to the sink. */

export { scrapeConfigSchema } from './config.ts';
export { PageError, type PageFormat, PageReader, type SeriesMark } from './exposition.ts';
export { noteMetadata } from './page-metadata.ts';
export { type Scraper, startScraper, type TargetState } from './scraper.ts';
