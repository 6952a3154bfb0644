import { Agent, type Dispatcher, interceptors, request } from 'undici';
import type { Clock } from '../../../base/index.ts';
import { decompress, RefusedRequest } from '../wire/index.ts';
import type { PageFormat } from './exposition.ts';

export interface Page {
  body: Buffer;
  format: PageFormat;
}

/** What is asked for, in Prometheus 3's order of preference. */
const ACCEPT = [
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5',
  'application/openmetrics-text;version=0.0.1;q=0.4',
  'text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3',
  'text/plain;version=0.0.4;q=0.2',
  '*/*;q=0.1',
].join(',');

export interface PageFetcher {
  /**
   * Fetches one page, holding at most `maxBytes` of it. Throws an Error whose message says what went wrong:
   * RefusedRequest or DecodeError when there was an answer that cannot be used.
   */
  fetch(url: string, options: { timeoutMs: number; maxBytes: number; signal: AbortSignal }): Promise<Page>;
  close(): Promise<void>;
}

export function createPageFetcher(clock: Clock): PageFetcher {
  const agent = new Agent({ connections: 2, keepAliveTimeout: 30_000 });
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 10 }));
  return {
    async fetch(url, { timeoutMs, maxBytes, signal }) {
      const timeout = new AbortController();
      const timer = new AbortController();
      clock.sleep(timeoutMs, timer.signal).then(
        () => timeout.abort(new Error(`no complete answer within ${timeoutMs / 1000} s`)),
        () => {},
      );
      try {
        return await get(url, { timeoutMs, maxBytes, dispatcher, signal: AbortSignal.any([signal, timeout.signal]) });
      } catch (error) {
        if (timeout.signal.aborted) throw timeout.signal.reason;
        throw error;
      } finally {
        timer.abort();
      }
    },
    close: () => agent.destroy(),
  };
}

async function get(
  url: string,
  options: { timeoutMs: number; maxBytes: number; dispatcher: Dispatcher; signal: AbortSignal },
): Promise<Page> {
  const { maxBytes, signal, dispatcher } = options;
  const answer = await request(url, {
    dispatcher,
    signal,
    headers: {
      accept: ACCEPT,
      'accept-encoding': 'gzip',
      'user-agent': 'trifocal',
      'x-prometheus-scrape-timeout-seconds': String(options.timeoutMs / 1000),
    },
  });
  // Destroying a body raises an error on it, and one that nobody listens to ends the process.
  answer.body.on('error', () => {});
  if (answer.statusCode !== 200) {
    answer.body.destroy();
    throw new Error(`server returned HTTP status ${answer.statusCode}`);
  }
  const format = formatOf(header(answer.headers['content-type']));
  if (format === undefined) {
    answer.body.destroy();
    throw new RefusedRequest(415, `content type "${header(answer.headers['content-type'])}" is no metrics format`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > maxBytes) {
      answer.body.destroy();
      throw new RefusedRequest(413, `the page is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  const body = await decompress(Buffer.concat(chunks, size), header(answer.headers['content-encoding']), maxBytes);
  return { body, format };
}

function header(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

function formatOf(contentType: string): PageFormat | undefined {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/openmetrics-text') return 'openmetrics';
  return type === 'text/plain' ? 'text' : undefined;
}
