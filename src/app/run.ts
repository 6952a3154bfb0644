import { isAbort, type Logger, systemClock } from '../base/index.ts';
import { createLogger } from '../base/node/index.ts';
import type { StartFlags } from '../cli/index.ts';
import { configureRedactText, redactText } from '../ingest/index.ts';
import { type Config, ConfigError, loadConfig } from './config/index.ts';
import { type RunningServer, StartError, startServer } from './server.ts';

/** What stopping may take before the process leaves anyway, counted from the signal. */
const STOP_MS = 10_000;

/**
 * Runs the server until SIGTERM or SIGINT, which end a start that is still under way as well. What keeps it from
 * starting is one clear sentence on standard error and exit code 1.
 */
export async function runServer(flags: StartFlags, version: string): Promise<void> {
  const stop = onStopSignal(leaveInTime);
  let server: RunningServer;
  try {
    const config = readConfig(flags);
    configureRedactText(config.redaction);
    const logger = createLogger({ ...config.log, redact: redactText });
    leaveOnDefect(logger);
    server = await startServer({ config, version, clock: systemClock, logger, signal: stop });
    announce(server, config);
  } catch (error) {
    // What the start had opened is closed by now.
    if (stop.aborted && isAbort(error)) process.exit(0);
    if (!(error instanceof ConfigError || error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  await server.close();
  process.exit(0);
}

/** A signal that aborts with SIGTERM or SIGINT. */
function onStopSignal(listener: () => void): AbortSignal {
  const stop = new AbortController();
  stop.signal.addEventListener('abort', listener, { once: true });
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

function leaveInTime(): void {
  setTimeout(() => {
    process.stderr.write(
      `Stopping took longer than ${STOP_MS / 1000} s; leaving. What was acknowledged is in the spool.\n`,
    );
    process.exit(1);
  }, STOP_MS);
}

/**
 * An error that nobody handled leaves the process in an unknown state. What Node would print itself may quote a signal,
 * so it goes through the log, which is masked. Rejections that nobody handles come here as well.
 */
function leaveOnDefect(logger: Logger): void {
  process.once('uncaughtException', (error, origin) => {
    logger.error({ error: error.stack ?? String(error), origin }, 'a defect of Trifocal ends it; please report this');
    process.exit(1);
  });
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
