/** `trifocal.yaml`, environment and flags: one schema, every problem with its place. */
export {
  type ClusterConfig,
  type Config,
  checkConfigFile,
  clusterSchema,
  loadConfig,
  type ScalarPath,
} from './load.ts';
export { ConfigError, type ConfigProblem } from './problem.ts';
export { signalRetention, wholeDays } from './retention.ts';
export type { Address } from './schema.ts';
