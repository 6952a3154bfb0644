import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScript, type ScriptReport, type Target } from './run.ts';
import { memoryTarget, storeTarget } from './targets.ts';

/** `npm run conformance -- promql DIR [--json FILE] [--over store|engine|memory]` */
async function main(args: readonly string[]): Promise<number> {
  const [language, folder, ...rest] = args;
  if (language !== 'promql' || !folder) {
    process.stderr.write('usage: npm run conformance -- promql DIR [--json FILE] [--over store|engine|memory]\n');
    return 2;
  }
  const { target, close } = await openTarget(option(rest, '--over') ?? 'store');
  const reports: Record<string, ScriptReport> = {};
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.test'))
    .sort()) {
    const report = await runScript(readFileSync(join(folder, file), 'utf8'), target);
    reports[file] = report;
    print(file, report);
  }
  await close();
  const jsonFile = option(rest, '--json');
  if (jsonFile) writeFileSync(jsonFile, JSON.stringify(reports, null, 2));
  return Object.values(reports).some((report) => report.failures.length > 0) ? 1 : 0;
}

/** The store as it is served, the store without pushdown (`engine`), or none (`memory`). */
async function openTarget(over: string): Promise<{ target: Target; close(): Promise<void> }> {
  if (over === 'memory') return { target: memoryTarget(), close: async () => {} };
  const store = await storeTarget();
  return { target: over === 'engine' ? store.plain : store, close: store.close };
}

function option(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

function print(file: string, { passed, failures }: ScriptReport): void {
  process.stdout.write(`${file}: ${passed} passed, ${failures.length} failed\n`);
  for (const { line, query, expected, got } of failures) {
    process.stdout.write(`  line ${line}: ${query}\n    expected: ${indent(expected)}\n    got:      ${indent(got)}\n`);
  }
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n              ');
}

process.exitCode = await main(process.argv.slice(2));
