import type { Command } from 'commander';
import { z } from 'zod';
import {
  type InvestigationBody,
  investigation,
  investigationFailed,
  investigationRunning,
} from '../../api/contract/index.ts';
import { CliError, callApi, withServer } from '../client.ts';
import type { Program } from '../program.ts';

const outcome = z.union([investigation, investigationRunning, investigationFailed]);

/** `trifocal investigate SUBJECT`: asks why, and prints the answer as a person would report it. */
export function registerInvestigate(root: Command, program: Program): void {
  withServer(root.command('investigate').description('ask why something is slow or failing'))
    .argument('<subject>', 'entity reference, for example workload:prod-eu/inference/llama-3-70b')
    .option('--symptom <kind>', 'latency, errors, throughput or availability')
    .option('--from <time>', 'RFC 3339, epoch seconds, or relative', 'now-30m')
    .option('--to <time>', 'as --from', 'now')
    .option('--json', 'print the whole result as JSON')
    .action(
      async (
        subject: string,
        flags: { server: string; symptom?: string; from: string; to: string; json?: boolean },
      ) => {
        const body = { subject, from: flags.from, to: flags.to, ...(flags.symptom ? { symptom: flags.symptom } : {}) };
        let result = await callApi({ server: flags.server, path: '/api/investigations', body, schema: outcome });
        while (result.state === 'running') {
          await new Promise((resolve) => setTimeout(resolve, 500));
          result = await callApi({ server: flags.server, path: `/api/investigations/${result.id}`, schema: outcome });
        }
        if (result.state === 'failed') throw new CliError(`The investigation failed: ${result.message}`);
        program.stdout(flags.json ? `${JSON.stringify(result, null, 2)}\n` : report(result, flags.server));
      },
    );
}

function report(result: InvestigationBody, server: string): string {
  const percent = Math.round(result.confidence * 100);
  return [
    `${result.headline}`,
    `verdict ${result.verdict}, confidence ${percent} %${result.onset ? `, since ${result.onset.at}` : ''}, took ${result.tookMs} ms`,
    ...section(
      'Causes',
      result.causes.map(
        (cause) => `${cause.entity}  ${cause.mechanism}  score ${cause.score.toFixed(2)}\n      ${cause.summary}`,
      ),
    ),
    ...section(
      'Questions',
      result.questions.map((question) => `${mark(question.status)} ${question.id}: ${question.summary}`),
    ),
    ...section(
      'Ruled out',
      result.ruledOut.map((ruled) => `${ruled.mechanism}: ${ruled.because}`),
    ),
    ...section(
      'Not seen',
      result.unseen.map((unseen) => `${unseen.signal}: ${unseen.why} ${unseen.fix}`),
    ),
    ...section(
      'Next',
      result.next.map((step) => step.text),
    ),
    '',
    `${new URL(`/investigations/${result.id}`, server)}`,
    '',
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function mark(status: string): string {
  return { ok: '✓', problem: '◆', unknown: '?', 'not-applicable': '–' }[status] ?? status;
}
