import { defineConfig } from 'vitest/config';

// chDB crashes when a worker thread that loaded it ends, so tests run in forked processes.
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'test/**/*.test.ts'],
    exclude: ['test/wide/**', 'node_modules/**'],
  },
});
