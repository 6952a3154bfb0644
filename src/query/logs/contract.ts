import type { LogRecord, Scope, TimeRange } from '../../model/index.ts';

/** Log lines by where they come from, what they say and when. */
export interface LogReader {
  search(query: LogSearch, read: { scope: Scope; signal?: AbortSignal }): Promise<LogSearchResult>;
}

export interface LogSearch {
  range: TimeRange;
  /** Lines of any of these places; left out: everywhere the scope allows. */
  places?: readonly LogPlace[];
  /** Must be part of the line; upper and lower case are the same. */
  text?: string;
  /** OTLP severity number that a line has at least; lines without severity count as info (9). */
  minSeverity?: number;
  traceId?: string;
  /** Newest first; at most this many. */
  limit: number;
}

/** Given parts must be equal, left-out parts may be anything. */
export interface LogPlace {
  cluster: string;
  namespace?: string;
  workload?: string;
  pods?: readonly string[];
  container?: string;
  node?: string;
  service?: string;
}

export interface LogSearchResult {
  lines: LogRecord[];
  /** Lines at these places in this time, among which was searched. */
  scannedRows: number;
  /** There were more than `limit`. */
  truncated: boolean;
}
