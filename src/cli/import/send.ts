import { type Backoff, backoffDelay, systemClock } from '../../base/index.ts';
import { CliError, errorText, request } from '../client.ts';
import type { Batch } from './batch.ts';

/** What became of one request. */
export interface Outcome {
  /** As far as the server's answer tells. */
  accepted: number;
  rejected: { reason: string; count: number; example: string }[];
}

const RETRY: Backoff = { firstMs: 500, maxMs: 10_000, factor: 2 };
/** A server that restarts is away for some seconds. */
const TRIES = 12;

/**
 * Sends a request until the server has taken or refused it: back-pressure is waited for without end, as long as the answer asks;
 * a server that is away or fails, twelve times. Throws CliError, or the signal's reason.
 */
export async function sendBatch(
  batch: Batch,
  options: { server: string; cluster?: string; version: string; signal: AbortSignal },
): Promise<Outcome> {
  const { server, cluster, signal } = options;
  const headers = {
    ...batch.headers,
    'user-agent': `trifocal-import/${options.version}`,
    ...(cluster === undefined ? {} : { 'x-trifocal-cluster': cluster }),
  };
  for (let failures = 0; ; ) {
    let problem: unknown;
    try {
      const response = await request(new URL(batch.path, server), {
        method: 'POST',
        headers,
        body: new Uint8Array(batch.body),
        signal,
      });
      const text = await response.text();
      if (response.status === 429 || response.status === 503) {
        await systemClock.sleep(1000 * retryAfter(response), signal);
        continue;
      }
      if (response.ok) return inFile(readAnswer(text), batch);
      if (response.status < 500) {
        if (response.status === 400 && batch.parts) return sendParts(batch.parts, options);
        return refused(batch, response.status, text);
      }
      problem = new CliError(`${batch.path} answered ${errorText(text, response.status)}`);
    } catch (error) {
      signal.throwIfAborted();
      problem = error;
    }
    if (++failures >= TRIES) throw problem;
    await systemClock.sleep(backoffDelay(RETRY, failures, Math.random()), signal);
  }
}

async function sendParts(parts: readonly Batch[], options: Parameters<typeof sendBatch>[1]): Promise<Outcome> {
  const whole: Outcome = { accepted: 0, rejected: [] };
  for (const part of parts) {
    const { accepted, rejected } = await sendBatch(part, options);
    whole.accepted += accepted;
    whole.rejected.push(...rejected);
  }
  return whole;
}

function retryAfter(response: Response): number {
  const seconds = Number(response.headers.get('retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 60) : 1;
}

/** Own doors say what they took; OTLP says in a partial success what it refused; others say nothing when all is well. */
function readAnswer(text: string): Outcome {
  if (!text.startsWith('{')) return { accepted: 0, rejected: [] };
  const answer = JSON.parse(text) as {
    accepted?: number;
    rejected?: Outcome['rejected'];
    partialSuccess?: {
      errorMessage?: string;
      rejectedSpans?: string;
      rejectedDataPoints?: string;
      rejectedLogRecords?: string;
    };
  }; // of doors whose answers are fixed
  const { partialSuccess } = answer;
  if (partialSuccess) {
    const { errorMessage = '', rejectedSpans, rejectedDataPoints, rejectedLogRecords } = partialSuccess;
    const count = Number(rejectedSpans ?? rejectedDataPoints ?? rejectedLogRecords ?? 0);
    return {
      accepted: 0,
      rejected: count > 0 ? [{ reason: reasonOf(errorMessage), count, example: errorMessage }] : [],
    };
  }
  return { accepted: answer.accepted ?? 0, rejected: answer.rejected ?? [] };
}

function inFile({ accepted, rejected }: Outcome, batch: Batch): Outcome {
  return { accepted, rejected: rejected.map((one) => ({ ...one, example: placed(one.example, batch) })) };
}

/** With its place in the file: the line itself if the server says which it was, else where the request is from. */
function placed(example: string, { place, lines = [], lineOffset = 0 }: Batch): string {
  const own = /^line (\d+)(?=:)/.exec(example);
  if (own !== null) return `line ${Number(own[1]) + lineOffset}${example.slice(own[0].length)}`;
  const index = /\b(?:resourceSpans|resourceMetrics|resourceLogs|streams)\[(\d+)\]/.exec(example)?.[1];
  let before = 0;
  for (const { line, count } of index === undefined ? [] : lines) {
    if (Number(index) < before + count) return `line ${line}: ${example}`;
    before += count;
  }
  return `${place}: ${example}`;
}

/** A refusal that may be of a part: then its text says how many. */
function refused(batch: Batch, status: number, text: string): Outcome {
  const lines = errorText(text, status)
    .split('\n')
    .filter((line) => line !== '');
  return {
    accepted: 0,
    rejected: lines.map((line) => {
      const count = Number(/the first of (\d+)|^(\d+) /.exec(line)?.slice(1).find(Boolean) ?? 1);
      return { reason: status === 413 ? 'too large' : reasonOf(line), count, example: placed(line, batch) };
    }),
  };
}

function reasonOf(text: string): string {
  if (/too old|older than/i.test(text)) return 'too_old';
  if (/too (new|far)|future/i.test(text)) return 'too_new';
  if (/limit/i.test(text)) return 'limit';
  return 'invalid';
}
