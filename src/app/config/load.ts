import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { nearest } from '../../base/index.ts';
import { scrapeConfigSchema } from '../../ingest/index.ts';
import { parseConfig } from './parse.ts';
import { ConfigError, type ConfigProblem } from './problem.ts';
import { clusterSchema as clusterSchemaWith, configSchema } from './schema.ts';

const schema = configSchema(z.array(scrapeConfigSchema));
export type Config = z.output<typeof schema>;

export const clusterSchema = clusterSchemaWith(z.array(scrapeConfigSchema));
export type ClusterConfig = z.output<typeof clusterSchema>;

/** Paths that can be set by environment variable or flag: everything that is one value. */
const SCALAR_PATHS = [
  'listen.http', 'listen.otlpHttp', 'listen.otlpGrpc', 'data', 'store.embedded.memory', 'store.spool', 'store.reserve', 'ingest.accept.past', 'ingest.accept.future',
  'ingest.maxBody', 'retention.metrics', 'retention.logs', 'retention.traces', 'retention.objects', 'limits.series', 'limits.perMetric',
  'limits.perCluster', 'limits.labels', 'limits.labelName', 'limits.labelValue', 'limits.line', 'limits.streamLabels',
  'limits.rate.samples', 'limits.rate.lines', 'limits.rate.spans', 'limits.rate.bytes', 'limits.rate.burst', 'redaction.prompts', 'limits.query.time', 'limits.query.memory', 'limits.query.samples', 'telemetry.traces.endpoint', 'log.level', 'log.format', 'demo.enabled',
  'demo.fault', 'demo.faultStarted', 'demo.history', 'demo.seed',
] as const; // biome-ignore format: a list to read

export type ScalarPath = (typeof SCALAR_PATHS)[number];

/**
 * Configuration from a file, `TRIFOCAL_…` environment variables and flags, the later winning.
 * Throws ConfigError naming every problem with its place.
 */
export function loadConfig(options: {
  file: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  flags: Readonly<Partial<Record<ScalarPath, string>>>;
}): Config {
  const file = options.file ?? (existsSync('trifocal.yaml') ? 'trifocal.yaml' : undefined);
  const { overrides, problems } = environmentOverrides(options.environment);
  for (const [path, value] of Object.entries(options.flags)) {
    if (value !== undefined) overrides.set(path, { value, from: `--${path}` });
  }
  const result = parseConfig({
    text: file ? readConfigFile(file) : '',
    file: file ?? 'trifocal.yaml',
    schema,
    overrides,
  });
  const all = [...problems, ...result.problems, ...(result.value ? judge(result.value, file ?? 'trifocal.yaml') : [])];
  if (result.value === undefined || all.length > 0) throw new ConfigError(all);
  return result.value;
}

/** Every problem of one configuration file, for `trifocal check`. */
export function checkConfigFile(file: string): ConfigProblem[] {
  try {
    loadConfig({ file, environment: {}, flags: {} });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [...error.problems];
    throw error;
  }
}

function readConfigFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'there is no such file' : String(error);
    throw new ConfigError([{ file, message: `can't be read: ${reason}` }]);
  }
}

function environmentOverrides(environment: Readonly<Record<string, string | undefined>>) {
  const byVariable = new Map<string, string>(
    SCALAR_PATHS.flatMap((path) => variablesOf(path).map((name) => [name, path] as const)),
  );
  const overrides = new Map<string, { value: string; from: string }>();
  const problems: ConfigProblem[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('TRIFOCAL_') || name.startsWith('TRIFOCAL_TEST_') || value === undefined) continue;
    const path = byVariable.get(name);
    if (path) overrides.set(path, { value, from: name });
    else {
      const suggestion = nearest(name, byVariable.keys());
      problems.push({
        file: 'environment',
        message: `unknown variable ${name}${suggestion ? `; did you mean ${suggestion}?` : ''}`,
      });
    }
  }
  return { overrides, problems };
}

/** `listen.otlpHttp` is `TRIFOCAL_LISTEN_OTLPHTTP`, and, since that is hard to read, `TRIFOCAL_LISTEN_OTLP_HTTP` too. */
function variablesOf(path: string): string[] {
  const plain = `TRIFOCAL_${path.replaceAll('.', '_').toUpperCase()}`;
  const spaced = `TRIFOCAL_${path
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .replaceAll('.', '_')
    .toUpperCase()}`;
  return [...new Set([plain, spaced])];
}

/** What a schema can't say: the rules that join several keys. */
function judge(config: Config, file: string): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const names = config.clusters.map((cluster) => cluster.name);
  for (const name of new Set(names.filter((name, i) => names.indexOf(name) !== i))) {
    problems.push({ file, message: `clusters: the name ${JSON.stringify(name)} is given twice` });
  }
  return problems;
}
