// Runs one TypeScript program of this project: `node scripts/run.mjs bench/main.ts --json out.json`.
import { build } from './build.mjs';
import { checkNode, ensureInstalled, runCode } from './install.mjs';

const [program, ...args] = process.argv.slice(2);
checkNode();
await ensureInstalled();
await build();
process.exit(await runCode(process.execPath, ['--import', 'tsx', program, ...args]));
