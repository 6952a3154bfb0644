// `npm run test:all`: what `npm test` leaves out because it needs real programs, a browser, or more time.
import { existsSync } from 'node:fs';
import { build } from './build.mjs';
import { checkNode, ensureInstalled } from './install.mjs';
import { runSteps, vitest } from './steps.mjs';

const PROGRAMS = {
  '/usr/bin/prometheus': 'prometheus',
  '/usr/bin/prometheus-node-exporter': 'prometheus-node-exporter',
  '/usr/bin/promtool': 'prometheus',
  '/usr/bin/chromium': 'chromium',
};

checkNode();
await ensureInstalled();
await build();
for (const [path, debianPackage] of Object.entries(PROGRAMS)) {
  if (!existsSync(path))
    console.log(`Not here: ${path}. Its tests are skipped; to run them: apt-get install ${debianPackage}`);
}
await runSteps('npm run test:all', [vitest('wide tests', 'vitest.wide.config.ts')]);
