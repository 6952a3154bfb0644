import { expect, test } from 'vitest';
import { rememberKeys } from './remember-keys.ts';

const many = Array.from({ length: 20_001 }, (_, i) => `key${i}`);

test.each<[string, string[], asked: number]>([
  ['a key again', ['a', 'b', 'a'], 2],
  ['one about which there is nothing to say', ['none', 'none'], 1],
  ['the longest that is remembered', ['x'.repeat(200), 'x'.repeat(200)], 1],
  ['a longer one', ['x'.repeat(201), 'x'.repeat(201)], 2],
  ['as many as there is room for', [...many.slice(0, 20_000), 'key0'], 20_000],
  ['one more', [...many, 'key0'], 20_002],
])('what a key means is asked once: %s', (_, keys, expected) => {
  let asked = 0;
  const judge = rememberKeys((key) => {
    asked++;
    return key === 'none' ? undefined : key.toUpperCase();
  });
  for (const key of keys) expect(judge(key)).toBe(key === 'none' ? undefined : key.toUpperCase());
  expect(asked).toBe(expected);
});
