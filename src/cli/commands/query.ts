import type { Command } from 'commander';
import { z } from 'zod';
import { CliError, callApi, withServer } from '../client.ts';
import type { Program } from '../program.ts';

const sample = z.tuple([z.number(), z.string()]);
const histogram = z.tuple([z.number(), z.looseObject({ count: z.string(), sum: z.string() })]);
const series = z.object({
  metric: z.record(z.string(), z.string()),
  value: sample.optional(),
  values: z.array(sample).optional(),
  histogram: histogram.optional(),
  histograms: z.array(histogram).optional(),
});
const answer = z.object({
  data: z.object({ resultType: z.string(), result: z.union([z.array(series), sample]) }),
  warnings: z.array(z.string()).optional(),
  infos: z.array(z.string()).optional(),
});

/** `trifocal query PROMQL`: an instant query now, or a range with `--from`. */
export function registerQuery(root: Command, program: Program): void {
  withServer(root.command('query').description('run a PromQL query'))
    .argument('<promql>')
    .option('--time <time>', 'instant of evaluation: RFC 3339 or epoch seconds (default: now)')
    .option('--from <time>', 'start of a range query: RFC 3339 or epoch seconds')
    .option('--to <time>', 'end of a range query (default: now)')
    .option('--step <seconds>', 'step of a range query', '15')
    .option('--json', 'print the answer as JSON')
    .action(
      async (
        query: string,
        flags: { server: string; time?: string; from?: string; to?: string; step: string; json?: boolean },
      ) => {
        if (flags.from === undefined && flags.to !== undefined) throw new CliError('--to needs --from.');
        const now = String(Date.now() / 1000);
        const result = await callApi({
          server: flags.server,
          path: `/prometheus/api/v1/${flags.from === undefined ? 'query' : 'query_range'}`,
          query:
            flags.from === undefined
              ? { query, time: flags.time }
              : { query, start: flags.from, end: flags.to ?? now, step: flags.step },
          schema: answer,
        });
        for (const note of [...(result.warnings ?? []), ...(result.infos ?? [])]) program.stderr(`${note}\n`);
        program.stdout(flags.json ? `${JSON.stringify(result.data, null, 2)}\n` : table(result.data));
      },
    );
}

function table(data: z.output<typeof answer>['data']): string {
  if (data.result.length === 0) return 'no data\n';
  if (data.resultType === 'scalar' || data.resultType === 'string') return `${data.result[1]}\n`;
  const rows = data.result as z.output<typeof series>[]; // every other result type is a list of series
  return rows
    .map((row) => {
      const numbers = row.values ?? (row.value ? [row.value] : []);
      const histograms = row.histograms ?? (row.histogram ? [row.histogram] : []);
      return `${name(row.metric)}  ${[...numbers.map(point), ...histograms.map(histogramPoint)].join(' ')}\n`;
    })
    .join('');
}

/** What a native histogram has seen; its buckets are for `--json`. */
function histogramPoint([time, { count, sum }]: z.output<typeof histogram>): string {
  return `{count:${count}, sum:${sum}} @${time}`;
}

function name(metric: Readonly<Record<string, string>>): string {
  const labels = Object.entries(metric).filter(([key]) => key !== '__name__');
  return `${metric.__name__ ?? ''}{${labels.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(', ')}}`;
}

function point([time, value]: readonly [number, string]): string {
  return `${value} @${time}`;
}
