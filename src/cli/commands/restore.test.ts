import { Command } from 'commander';
import { expect, test } from 'vitest';
import type { Program } from '../program.ts';
import { registerRestore } from './restore.ts';

test.each(['/var/backups/nightly.tar', './nightly.tar', 'backups/nightly.tar'])(
  'a running server is given a name in its own folder, not the path %s',
  async (path) => {
    const root = new Command().exitOverride();
    registerRestore(root, {} as Program); // nothing of it is used before the refusal
    const restored = root.parseAsync(['node', 'trifocal', 'restore', path, '--server', 'http://127.0.0.1:1']);
    await expect(restored).rejects.toThrow(/is a path; with --server .* copy it there, then restore nightly\.tar\./);
  },
);
