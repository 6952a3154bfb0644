import type { Command } from 'commander';
import { type TraceResponse, traceResponse, tracesResponse } from '../../api/contract/index.ts';
import { callApi, withServer } from '../client.ts';
import type { Program } from '../program.ts';

/** `trifocal traces [ENTITY]` lists traces; with `--id` it prints one as a tree. */
export function registerTraces(root: Command, program: Program): void {
  withServer(root.command('traces').description('list traces, or show one'))
    .argument('[entity]', 'entity reference, for example service:prod-eu/-/rag-api')
    .option('--id <trace>', 'show this trace')
    .option('--slowest', 'slowest first instead of newest')
    .option('--from <time>', 'RFC 3339, epoch seconds, or relative', 'now-15m')
    .option('--to <time>', 'as --from', 'now')
    .option('--limit <n>', 'most traces to list', '20')
    .action(
      async (
        entity: string | undefined,
        flags: { server: string; id?: string; slowest?: boolean; from: string; to: string; limit: string },
      ) => {
        if (flags.id !== undefined) {
          const trace = await callApi({
            server: flags.server,
            path: `/api/traces/${encodeURIComponent(flags.id)}`,
            schema: traceResponse,
          });
          program.stdout(tree(trace));
          return;
        }
        const query = {
          entity,
          from: flags.from,
          to: flags.to,
          limit: flags.limit,
          order: flags.slowest ? 'slowest' : 'newest',
        };
        const { items } = await callApi({ server: flags.server, path: '/api/traces', query, schema: tracesResponse });
        for (const trace of items) {
          const errors = trace.errors > 0 ? `, ${trace.errors} errors` : '';
          program.stdout(
            `${trace.startedAt} ${trace.traceId} ${trace.rootService} ${trace.rootName} ${seconds(trace.durationSeconds)} (${trace.spans} spans${errors})\n`,
          );
        }
        if (items.length === 0) program.stdout('no traces\n');
      },
    );
}

function tree(trace: TraceResponse): string {
  const known = new Set(trace.spans.map((span) => span.spanId));
  const print = (parent: string, depth: number): string =>
    trace.spans
      .filter((span) => (known.has(span.parentSpanId) ? span.parentSpanId : '') === parent)
      .map(
        (span) =>
          `${'  '.repeat(depth)}${span.service} ${span.name} ${seconds(span.durationSeconds)}${span.status === 'error' ? ' ERROR' : ''}\n${depth < 200 ? print(span.spanId, depth + 1) : ''}`,
      )
      .join('');
  return `${print('', 0)}${trace.missing > 0 ? `${trace.missing} spans are missing\n` : ''}`;
}

function seconds(value: number): string {
  return value < 1 ? `${(value * 1000).toFixed(1)} ms` : `${value.toFixed(2)} s`;
}
