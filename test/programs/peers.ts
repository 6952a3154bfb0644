import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type RunningProgram, startProgram, temporaryFolder, waitFor } from './process.ts';

export const PROMETHEUS = '/usr/bin/prometheus';
export const VICTORIA_METRICS = '/usr/bin/victoria-metrics';
export const NODE_EXPORTER = '/usr/bin/prometheus-node-exporter';
export const PROMTOOL = '/usr/bin/promtool';

export interface RunningPeer extends RunningProgram {
  url: string;
  data: string;
}

/** Debian's Prometheus with the given configuration, in a folder of its own. */
export async function startPrometheus(config: string, flags: readonly string[] = []): Promise<RunningPeer> {
  const folder = temporaryFolder('prometheus');
  const port = await freePort();
  const data = join(folder.path, 'data');
  mkdirSync(data);
  writeFileSync(join(folder.path, 'prometheus.yml'), config);
  const program = startProgram(PROMETHEUS, [
    `--config.file=${join(folder.path, 'prometheus.yml')}`,
    `--storage.tsdb.path=${data}`,
    `--web.listen-address=127.0.0.1:${port}`,
    ...flags,
  ]);
  return ready(program, `http://127.0.0.1:${port}`, '/-/ready', data, folder.remove);
}

export async function startVictoriaMetrics(flags: readonly string[] = []): Promise<RunningPeer> {
  const folder = temporaryFolder('victoria');
  const port = await freePort();
  const program = startProgram(VICTORIA_METRICS, [
    `-storageDataPath=${folder.path}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    ...flags,
  ]);
  return ready(program, `http://127.0.0.1:${port}`, '/health', folder.path, folder.remove);
}

export async function startNodeExporter(): Promise<RunningPeer> {
  const port = await freePort();
  const program = startProgram(NODE_EXPORTER, [`--web.listen-address=127.0.0.1:${port}`]);
  return ready(program, `http://127.0.0.1:${port}`, '/metrics', '', () => {});
}

async function ready(
  program: RunningProgram,
  url: string,
  path: string,
  data: string,
  remove: () => void,
): Promise<RunningPeer> {
  const stop = async (signal?: NodeJS.Signals) => {
    await program.stop(signal);
    remove();
  };
  await waitFor(url + path, async () => ((await fetch(url + path)).ok ? true : undefined)).catch(async (error) => {
    await stop('SIGKILL');
    throw new Error(program.output(), { cause: error });
  });
  return { ...program, url, data, stop };
}
