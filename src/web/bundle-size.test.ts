import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { initialSize } from './bundle-size.ts';

const BUDGET = 250_000;
const size = initialSize(fileURLToPath(new URL('../../dist/web', import.meta.url)));

it.skipIf(size === undefined)(
  'a first visit loads at most 250 kB of brotli (skipped when dist/web is not built)',
  () => {
    expect(size?.files.length).toBeGreaterThan(2);
    expect(size?.total).toBeLessThanOrEqual(BUDGET);
  },
);
