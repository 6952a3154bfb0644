import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const outDir = fileURLToPath(new URL('../../dist/web', import.meta.url));
const server = process.env.TRIFOCAL_DEV_SERVER ?? 'http://127.0.0.1:4319';

export default defineConfig(({ command }) => {
  // Built from within a test run, NODE_ENV says `test`, and React would come in its slow, large development form.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    root: here,
    build: {
      outDir,
      emptyOutDir: true,
      manifest: true,
      target: 'es2022',
      // Nothing may be inlined as a data: URL except images, so that fonts and scripts stay under 'self'.
      assetsInlineLimit: 0,
      // What counts is the initial load, which bundle-size.ts measures and a test bounds.
      chunkSizeWarningLimit: 2000,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        // The vocabulary is pure functions and tables: what the pages don't use must not be shipped.
        treeshake: { moduleSideEffects: (id) => !/\/src\/(model|base|api)\//.test(id) },
      },
    },
    server: {
      port: 4320,
      proxy: Object.fromEntries(['/api', '/prometheus'].map((path) => [path, { target: server }])),
    },
    plugins: [react(), precompress()],
  };
});

/** Writes `file.br` beside every text asset, so that the server only has to pick it. */
function precompress(): Plugin {
  return {
    name: 'trifocal-precompress',
    apply: 'build',
    closeBundle() {
      for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(js|css|html|svg|json)$/.test(entry.name)) continue;
        const file = join(entry.parentPath, entry.name);
        const body = readFileSync(file);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
        writeFileSync(`${file}.br`, brotliCompressSync(body, { params }));
      }
    },
  };
}
