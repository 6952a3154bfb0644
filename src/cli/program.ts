/** What the commands need from the process they run in. */
export interface Program {
  version: string;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Runs the server until it is told to stop. */
  start(flags: StartFlags): Promise<void>;
  /** Every problem of a file, with its place. */
  checkFile(path: string): Problem[];
}

export interface StartFlags {
  config?: string;
  data?: string;
  http?: string;
  otlpHttp?: string;
  otlpGrpc?: string;
  demo?: boolean;
  fault?: string;
}

export interface Problem {
  file: string;
  line?: number;
  column?: number;
  message: string;
}
