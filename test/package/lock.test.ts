import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
  engines?: { node?: string };
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>;
}; // npm's format

/**
 * Packages with a binary per platform name all of them as optional; `npm ci` refuses a lock file that leaves one out, and
 * npm leaves out those that the registry in use at the time did not have.
 */
test('the lock file names the binaries of every platform', () => {
  const names = new Set(
    Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  );
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  expect(wanted).toContain('@chdb/lib-darwin-arm64');
});
