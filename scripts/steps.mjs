// Runs a list of checks to the end, whichever fail, and closes with one line of counts.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, runCode } from './install.mjs';

/** A step that runs vitest and counts each of its tests. Extra arguments of the command line go to vitest. */
export function vitest(name, config) {
  const report = join(root, '.cache', `${config}.json`);
  const args = ['--config', config, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { name, command: ['node_modules/vitest/vitest.mjs', 'run', ...args, ...process.argv.slice(2)], report };
}

export async function runSteps(title, steps) {
  mkdirSync(join(root, '.cache'), { recursive: true });
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  for (const step of steps) {
    if (step.report) rmSync(step.report, { force: true });
    console.log(`\n── ${title}: ${step.name}`);
    const code = await runCode(process.execPath, step.command);
    const counts = step.report && existsSync(step.report) ? JSON.parse(readFileSync(step.report, 'utf8')) : undefined;
    passed += counts?.numPassedTests ?? (code === 0 ? 1 : 0);
    failed += counts ? Math.max(counts.numFailedTests, code === 0 ? 0 : 1) : code === 0 ? 0 : 1;
    skipped += counts?.numPendingTests ?? 0;
    if (code !== 0) console.log(`── ${title}: ${step.name} FAILED`);
  }
  const line = `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;
  console.log(`\n${title}: ${line}`);
  if (process.env.TRIFOCAL_TEST_SUMMARY)
    appendFileSync(process.env.TRIFOCAL_TEST_SUMMARY, `${passed} ${failed} ${skipped}\n`);
  process.exit(failed === 0 ? 0 : 1);
}
