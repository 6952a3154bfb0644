import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { checkImports } from './check.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A project made of the given files, and what the check says of it. */
async function check(files: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'trifocal-imports-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const report = await checkImports(folder);
  expect(report.modules).toBe(Object.keys(files).length);
  return report.violations;
}

test('the project keeps to the table, and the check saw its modules', async () => {
  const report = await checkImports(process.cwd());
  expect(report.violations).toEqual([]);
  expect(report.modules).toBeGreaterThan(50);
});

test('an arrow that the table does not have is found, type-only ones too', async () => {
  const violations = await check({
    'src/model/index.ts': "import type { Store } from '../store/index.ts';\nexport const a: Store = 1;",
    'src/store/index.ts': 'export type Store = number;',
  });
  expect(violations).toEqual(['model may not import store: src/model/index.ts → src/store/index.ts']);
});

test('a side door is found', async () => {
  const violations = await check({
    'src/query/index.ts': "export { secret } from '../store/inner/secret.ts';",
    'src/store/index.ts': 'export const open = 1;',
    'src/store/inner/secret.ts': 'export const secret = 1;',
  });
  expect(violations).toEqual([
    'side door: src/query/index.ts → src/store/inner/secret.ts (go through src/store/index.ts)',
  ]);
});

test('a cycle is found', async () => {
  const violations = await check({
    'src/base/index.ts': "export * from './a.ts';",
    'src/base/a.ts': "import type { B } from './b.ts';\nexport type A = B;",
    'src/base/b.ts': "import type { A } from './a.ts';\nexport type B = A | 1;",
  });
  expect(violations.some((violation) => violation.startsWith('cycle:'))).toBe(true);
});
