/** Pulls pages of metrics from static targets, as Prometheus does. Nothing here stores: batches go to the sink. */

export { type ScrapeConfig, scrapeConfigSchema } from './config.ts';
export { type PageFormat, PageReader } from './exposition.ts';
export { type ScrapeCluster, type Scraper, type ScraperOptions, startScraper, type TargetState } from './scraper.ts';
