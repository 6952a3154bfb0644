/** The program that owns the embedded engine. It lives as long as its parent keeps its standard input open. */
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { openEngine } from './engine.ts';
import type { EngineReady, EngineSettings } from './handshake.ts';
import { createEngineServer } from './http.ts';

let close = async (): Promise<void> => {};

const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => void serve(JSON.parse(line) as EngineSettings)); // the parent is this program's other half
lines.once('close', () => void close().finally(() => process.exit(0)));

async function serve(settings: EngineSettings): Promise<void> {
  try {
    const engine = await openEngine(settings);
    const server = createEngineServer(engine, settings.key);
    close = async () => {
      server.close();
      server.closeAllConnections();
      await engine.close();
    };
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // it listens on TCP
      report({ port, version: engine.version });
    });
  } catch (error) {
    report({ error: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  }
}

function report(ready: EngineReady): void {
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

// Ctrl-C reaches the whole process group; the parent decides when the engine ends.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
