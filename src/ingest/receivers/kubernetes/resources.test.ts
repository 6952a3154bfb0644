import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { RESOURCES } from './resources.ts';

test('the role in docs/connecting.md allows just what is watched', () => {
  const blocks = [...readFileSync('docs/connecting.md', 'utf8').matchAll(/^```yaml\n(.*?)^```$/gms)];
  const role = blocks.map(([, text = '']) => parse(text)).find(({ kind }) => kind === 'ClusterRole');
  const rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[] = role.rules;
  const allowed = rules.flatMap(({ apiGroups, resources }) =>
    apiGroups.flatMap((group) => resources.map((name) => `${group}/${name}`)),
  );
  expect(allowed.sort()).toEqual(RESOURCES.map(({ group, name }) => `${group}/${name}`).sort());
  for (const { verbs } of rules) expect(verbs).toEqual(['list', 'watch']);
});
