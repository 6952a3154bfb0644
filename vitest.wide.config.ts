import { defineConfig } from 'vitest/config';

/** What needs more than Node: real programs from Debian's packages, a browser, many crashes. Run by `npm run test:all`. */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 180_000,
    include: ['test/wide/**/*.test.ts'],
  },
});
