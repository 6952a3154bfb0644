#!/usr/bin/env node
// The CLI as an installed command; the program itself is built into dist/.
import { build } from '../scripts/build.mjs';
import { checkNode, ensureInstalled } from '../scripts/install.mjs';

checkNode();
await ensureInstalled();
await build();
process.setSourceMapsEnabled(true);
await import('../dist/trifocal.js');
