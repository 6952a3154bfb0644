/** What the commands need from the process they run in. */
export interface Program {
  version: string;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Runs the server until it is told to stop. */
  start(flags: StartFlags): Promise<void>;
  /** Every problem of a file, with its place. */
  checkFile(path: string): Problem[];
  /** Reads a backup from its first byte to its last. Throws CliError when it is not whole or not of a known version. */
  checkBackup(file: string): Promise<BackupSummary>;
  /** Makes a data folder of a backup. Throws CliError with a sentence. */
  restoreFolder(options: { file: string; data: string; replace: boolean }): Promise<{
    summary: BackupSummary;
    /** Where an earlier content of the folder is now. */
    keptAt?: string;
  }>;
}

export interface BackupSummary {
  createdAt: string;
  version: string;
  tables: readonly { name: string; rows: number; bytes: number }[];
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
