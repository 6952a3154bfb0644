/** What the parent writes to the child's standard input, as one line of JSON. The key never appears among arguments. */
export interface EngineSettings {
  folder: string;
  memoryBytes: number;
  database: string;
  /** Password that every request must carry. */
  key: string;
  /** Sessions that read; each runs one query at a time. */
  readers: number;
}

/** What the child answers on standard output, as one line of JSON, once it listens or has failed to. */
export type EngineReady = { port: number; version: string } | { error: string };

/** The answer in a line of standard output; undefined for what the engine itself may print there. */
export function parseEngineReady(line: string): EngineReady | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if ('error' in value && typeof value.error === 'string') return { error: value.error };
  if ('port' in value && typeof value.port === 'number' && 'version' in value && typeof value.version === 'string')
    return { port: value.port, version: value.version };
  return undefined;
}
