import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

interface Chunk {
  file: string;
  isEntry?: boolean;
  src?: string;
  imports?: string[];
  dynamicImports?: string[];
  css?: string[];
}

export interface InitialSize {
  /** Bytes of brotli, scripts and styles, that the overview needs before it can be drawn. */
  total: number;
  files: { file: string; bytes: number }[];
}

/** What a first visit loads, from the build's manifest; undefined when the UI is not built. */
export function initialSize(outDir: string): InitialSize | undefined {
  const manifestFile = join(outDir, '.vite/manifest.json');
  if (!existsSync(manifestFile)) return undefined;
  // Vite wrote the file in this build; its shape is documented with `build.manifest`.
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Record<string, Chunk>;
  const entries = Object.keys(manifest).filter(
    (key) => manifest[key]?.isEntry || manifest[key]?.src?.endsWith('overview-page.tsx'),
  );
  const wanted = new Set<string>();
  const follow = (key: string) => {
    const chunk = manifest[key];
    if (!chunk || wanted.has(chunk.file)) return;
    wanted.add(chunk.file);
    for (const css of chunk.css ?? []) wanted.add(css);
    for (const other of chunk.imports ?? []) follow(other);
  };
  for (const entry of entries) follow(entry);
  const files = [...wanted].map((file) => ({ file, bytes: statSync(join(outDir, `${file}.br`)).size }));
  return { total: files.reduce((sum, { bytes }) => sum + bytes, 0), files };
}
