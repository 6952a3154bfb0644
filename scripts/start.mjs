// `npm start`: installs and builds what is missing, then runs the server in this very process.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { checkNode, ensureInstalled, root } from './install.mjs';

checkNode();
await ensureInstalled();
await build();
process.setSourceMapsEnabled(true);
process.argv.splice(2, 0, 'up', ...(process.argv.includes('--no-demo') ? [] : ['--demo']));
process.argv = process.argv.filter((argument) => argument !== '--no-demo');
await import(pathToFileURL(join(root, 'dist/trifocal.js')).href);
