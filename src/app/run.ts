import { systemClock } from '../base/index.ts';
import { createLogger } from '../base/node/index.ts';
import type { StartFlags } from '../cli/index.ts';
import { redactText } from '../ingest/index.ts';
import { type Config, ConfigError, loadConfig } from './config/index.ts';
import { type RunningServer, StartError, startServer } from './server.ts';

/** What stopping may take before the process leaves anyway. */
const STOP_MS = 10_000;

/**
 * Runs the server until SIGTERM or SIGINT. What keeps it from starting is one clear sentence on standard error and
 * exit code 1.
 */
export async function runServer(flags: StartFlags, version: string): Promise<void> {
  const stop = stopSignal();
  let server: RunningServer;
  try {
    const config = readConfig(flags);
    const logger = createLogger({ ...config.log, redact: redactText });
    server = await startServer({ config, version, clock: systemClock, logger });
    announce(server, config);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  await stop;
  const deadline = setTimeout(() => {
    process.stderr.write(
      `Stopping took longer than ${STOP_MS / 1000} s; leaving. What was acknowledged is in the spool.\n`,
    );
    process.exit(1);
  }, STOP_MS);
  await server.close();
  clearTimeout(deadline);
  process.exit(0);
}

function readConfig(flags: StartFlags): Config {
  return loadConfig({
    file: flags.config,
    environment: process.env,
    flags: {
      ...(flags.data === undefined ? {} : { data: flags.data }),
      ...(flags.http === undefined ? {} : { 'listen.http': flags.http }),
      ...(flags.otlpHttp === undefined ? {} : { 'listen.otlpHttp': flags.otlpHttp }),
      ...(flags.otlpGrpc === undefined ? {} : { 'listen.otlpGrpc': flags.otlpGrpc }),
      ...(flags.demo ? { 'demo.enabled': 'true' } : {}),
      ...(flags.fault === undefined ? {} : { 'demo.fault': flags.fault }),
    },
  });
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}

function announce(server: RunningServer, config: Config): void {
  const { http, otlpHttp, otlpGrpc } = server.addresses;
  const clusters = config.clusters.map(({ name }) => name);
  const lines = [
    '',
    `  Trifocal is at  http://${http}`,
    '',
    `  data            ${server.dataFolder}`,
    `  clusters        ${clusters.length > 0 ? clusters.join(', ') : 'none configured'}`,
    ...(config.demo.enabled
      ? ['  demo            two simulated clusters; their last hour comes in within half a minute']
      : []),
    '',
    '  Connect your own:',
    `    Prometheus    remote_write: [{ url: http://${http}/prometheus/api/v1/write }]`,
    `    OpenTelemetry OTLP gRPC ${otlpGrpc}, HTTP http://${otlpHttp}`,
    `    logs          Loki push http://${http}/loki/api/v1/push (Promtail, Alloy, Fluent Bit)`,
    '    Kubernetes    clusters: in trifocal.yaml, then npm start -- --config trifocal.yaml (docs/connecting.md)',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  process.stdout.write(`trifocal ready http=${http} otlp-http=${otlpHttp} otlp-grpc=${otlpGrpc} pid=${process.pid}\n`);
}
