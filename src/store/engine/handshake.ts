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
