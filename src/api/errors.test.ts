import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from './errors.ts';

test('docs/api-errors.md lists every code with its status and what to do', () => {
  const page = readFileSync('docs/api-errors.md', 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (.+) \|$/gm)].map(([, code, status, action]) => [
    code,
    Number(status),
    action,
  ]);
  expect(rows).toEqual(Object.entries(ERROR_CODES).map(([code, { status, action }]) => [code, status, action]));
});
