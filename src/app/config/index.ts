/** `trifocal.yaml`, environment and flags: one schema, every problem with its place. */
export { type Config, checkConfigFile, loadConfig, type ScalarPath } from './load.ts';
export { ConfigError, type ConfigProblem, formatProblem } from './problem.ts';
export type { Address } from './schema.ts';
