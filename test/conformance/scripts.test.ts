import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runScript, type Target } from './run.ts';
import { memoryTarget, type StoreTarget, storeTarget } from './targets.ts';

const FOLDER = join(import.meta.dirname, '../../src/query/promql/testdata');
const scripts = readdirSync(FOLDER).filter((name) => name.endsWith('.test'));

async function check(file: string, target: Target): Promise<void> {
  const report = await runScript(readFileSync(join(FOLDER, file), 'utf8'), target);
  expect(report.failures).toEqual([]);
  expect(report.passed).toBeGreaterThan(0);
}

describe('scripts over samples in memory', () => {
  test.each(scripts)('%s', (file) => check(file, memoryTarget()));
});

describe('scripts over the embedded store', () => {
  let target: StoreTarget;
  beforeAll(async () => {
    target = await storeTarget();
  });
  afterAll(() => target.close());
  test.each(['selectors.test', 'time.test', 'rates.test', 'aggregations.test', 'native-histograms.test'])(
    '%s',
    (file) => check(file, target),
  );
  test('time.test without pushdown', () => check('time.test', target.plain));
});
