/**
 * The doors by which signals come in, one folder per protocol, one contract (`contract.ts`). A new protocol is a folder
 * and a line here. Receivers decode and answer in their protocol's own words; what is in the signals is not their affair.
 */

export {
  type KnownObject,
  type KubernetesConnection,
  type KubernetesWatch,
  startKubernetesWatch,
} from './kubernetes/index.ts';
export type { ReceiverOptions } from './options.ts';
export { pushDoors, receivers } from './pushed.ts';
export { type Scraper, scrapeConfigSchema, startScraper, type TargetState } from './scrape/index.ts';
