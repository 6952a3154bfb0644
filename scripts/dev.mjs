// `npm run dev`: the server from source, restarted on change, the demo estate, and the UI with hot reload.
import { spawn } from 'node:child_process';
import { checkNode, ensureInstalled, root } from './install.mjs';

checkNode();
await ensureInstalled();
const programs = [
  [
    'node_modules/tsx/dist/cli.mjs',
    'watch',
    '--clear-screen=false',
    'src/app/main.ts',
    'up',
    '--demo',
    ...process.argv.slice(2),
  ],
  ['node_modules/vite/bin/vite.js', '--config', 'src/web/vite.config.ts'],
];
const children = programs.map((args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}
