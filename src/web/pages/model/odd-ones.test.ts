import { expect, it } from 'vitest';
import { oddOnes } from './odd-ones.ts';

it.each([
  ['the one that is far from the others', [24, 142, 25], [1]],
  ['also downward', [1980, 1215, 1980, 1970], [1]],
  ['none when all are alike', [24, 25, 26], []],
  ['none among two', [24, 142], []],
  ['none when half of them differ', [1, 1, 9, 9], []],
  ['absent values are not odd', [24, undefined, 25, 142], [3]],
])('%s', (_name, values, expected) => {
  expect([...oddOnes(values)]).toEqual(expected);
});
