// `npm test`: everything that needs nothing but Node and npm.
import { checkNode, ensureInstalled } from './install.mjs';
import { runSteps, vitest } from './steps.mjs';

checkNode();
await ensureInstalled();
await runSteps('npm test', [
  { name: 'types', command: ['node_modules/typescript/bin/tsc', '-p', '.'] },
  { name: 'lint and format', command: ['node_modules/@biomejs/biome/bin/biome', 'check', '.'] },
  { name: 'dead code', command: ['node_modules/knip/bin/knip.js', '--no-progress'] },
  vitest('tests', 'vitest.config.ts'),
]);
