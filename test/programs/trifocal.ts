import { type RunningProgram, startProgram, temporaryFolder, waitFor } from './process.ts';

export interface RunningTrifocal extends RunningProgram {
  /** `http://127.0.0.1:port` */
  http: string;
  otlpHttp: string;
  /** `127.0.0.1:port` */
  otlpGrpc: string;
  serverPid: number;
  data: string;
}

export interface StartOptions {
  data?: string;
  args?: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** `built` runs `dist/`, as `npm start` does; `source` needs no build. */
  program?: 'built' | 'source';
}

const PROGRAMS = {
  built: ['--enable-source-maps', 'dist/trifocal.js'],
  source: ['--import', 'tsx', 'src/app/main.ts'],
};

/** Starts the server on free ports, in a folder of its own unless `data` is given. Resolves after the ready line. */
export async function startTrifocal(options: StartOptions = {}): Promise<RunningTrifocal> {
  const folder = options.data === undefined ? temporaryFolder('data') : undefined;
  const data = options.data ?? folder?.path ?? '';
  const ports = ['--http', '127.0.0.1:0', '--otlp-http', '127.0.0.1:0', '--otlp-grpc', '127.0.0.1:0'];
  const args = [...PROGRAMS[options.program ?? 'built'], 'up', '--data', data, ...ports, ...(options.args ?? [])];
  const program = startProgram(process.execPath, args, { env: { ...process.env, ...options.env } });
  const ready = await readyLine(program).catch(async (error) => {
    await program.stop('SIGKILL');
    folder?.remove();
    throw new Error(`the server did not start:\n${program.output()}`, { cause: error });
  });
  return {
    ...program,
    http: `http://${ready[1]}`,
    otlpHttp: `http://${ready[2]}`,
    otlpGrpc: ready[3] ?? '',
    serverPid: Number(ready[4]),
    data,
    stop: async (signal) => {
      await program.stop(signal);
      folder?.remove();
    },
  };
}

async function readyLine(program: RunningProgram): Promise<RegExpExecArray> {
  let running = true;
  program.exited.then(() => {
    running = false;
  });
  const line = await waitFor(
    'the ready line',
    async () =>
      /^trifocal ready http=(\S+) otlp-http=(\S+) otlp-grpc=(\S+) pid=(\d+)$/m.exec(program.output()) ??
      (running ? undefined : 'gone'),
    120,
  );
  if (line === 'gone') throw new Error('it ended by itself');
  return line;
}

/** One answer of the Prometheus API; throws with the server's message when it is an error. */
export async function promql(
  base: string,
  query: string,
  range?: { start: number; end: number; step: number; time?: never } | { time: number },
): Promise<PromqlSeries[]> {
  const params = new URLSearchParams({ query });
  for (const [name, value] of Object.entries(range ?? {})) params.set(name, String(value));
  const path = range && 'start' in range ? 'query_range' : 'query';
  const response = await fetch(`${base}/api/v1/${path}`, { method: 'POST', body: params });
  const body = (await response.json()) as { status: string; error?: string; data?: { result: PromqlSeries[] } }; // Prometheus' envelope
  if (body.status !== 'success' || !body.data) throw new Error(body.error ?? `HTTP ${response.status}`);
  return body.data.result;
}

export interface PromqlSeries {
  metric: Record<string, string>;
  value?: [number, string];
  values?: [number, string][];
}
