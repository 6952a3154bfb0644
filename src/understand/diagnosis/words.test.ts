import { expect, test } from 'vitest';
import { gpu, pod, smallEstate } from './testdata/small-estate.ts';
import { amount, counted, factor, listed, nameOf } from './words.ts';

test.each([
  [0.142, 's', '142 ms'],
  [0.0241, 's', '24.1 ms'],
  [4.2, 's', '4.2 s'],
  [120, 's', '120 s'],
  [0.98, 'ratio', '98 %'],
  [0.0312, 'ratio', '3.12 %'],
  [1980, 'MHz', '1 980 MHz'],
  [64 * 2 ** 30, 'bytes', '64 GiB'],
  [0, '1', '0'],
  [12345.6, '1', '12 346'],
  [2.5, '1/s', '2.5/s'],
  [Number.NaN, 's', 'no value'],
])('%d %s is %s', (value, unit, text) => {
  expect(amount(value, unit)).toBe(text);
});

test('factors, counts and lists', () => {
  expect(factor(0.024, 0.142)).toBe('5.92×');
  expect([counted(1, 'pod'), counted(3, 'pod')]).toEqual(['1 pod', '3 pods']);
  expect([
    listed([]),
    listed(['a']),
    listed(['a', 'b']),
    listed(['a', 'b', 'c']),
    listed(['a', 'b', 'c', 'd']),
  ]).toEqual(['', 'a', 'a and b', 'a, b and c', 'a, b and 2 more']);
});

test('entities by the names that people use', () => {
  const estate = smallEstate(0);
  expect(nameOf(estate, gpu(5))).toBe('GPU 1 (GPU-5) on gpu-2');
  expect(nameOf(estate, pod(0))).toBe('pod llama-0');
  expect(nameOf(estate, 'gpu:prod-eu/-/GPU-de5c4e9b-9c52-478c-af51-424deae0cd04')).toBe('GPU GPU-de5c4e9b');
  expect(nameOf(estate, 'pod:prod-eu/inference/gone')).toBe('pod gone');
});
