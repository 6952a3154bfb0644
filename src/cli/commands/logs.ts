import type { Command } from 'commander';
import { logsResponse } from '../../api/contract/index.ts';
import { callApi, withServer } from '../client.ts';
import type { Program } from '../program.ts';

/** `trifocal logs [ENTITY]`: newest log lines, oldest of them first, as `tail` would show them. */
export function registerLogs(root: Command, program: Program): void {
  withServer(root.command('logs').description('show log lines'))
    .argument('[entity]', 'entity reference, for example pod:prod-eu/inference/llama-3-70b-0')
    .option('--grep <text>', 'only lines that contain this text')
    .option('--severity <level>', 'debug, info, warn or error and above')
    .option('--from <time>', 'RFC 3339, epoch seconds, or relative', 'now-15m')
    .option('--to <time>', 'as --from', 'now')
    .option('--limit <n>', 'most lines to show', '100')
    .action(
      async (
        entity: string | undefined,
        flags: { server: string; grep?: string; severity?: string; from: string; to: string; limit: string },
      ) => {
        const query = {
          entity,
          q: flags.grep,
          severity: flags.severity,
          from: flags.from,
          to: flags.to,
          limit: flags.limit,
        };
        const { items, truncated } = await callApi({
          server: flags.server,
          path: '/api/logs',
          query,
          schema: logsResponse,
        });
        for (const line of [...items].reverse()) program.stdout(`${line.at} ${line.entity} ${line.body}\n`);
        if (truncated)
          program.stderr(`Only the newest ${items.length} lines are shown; narrow the time or raise --limit.\n`);
      },
    );
}
