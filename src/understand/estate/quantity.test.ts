import { expect, test } from 'vitest';
import { gpuCount, parseQuantity, quantityNumber, sameQuantity } from './quantity.ts';

const ONE = 1_000_000_000n;

test.each<[string, bigint | undefined]>([
  ['1', ONE],
  ['250m', 250_000_000n],
  ['0.1', 100_000_000n],
  ['1500u', 1_500_000n],
  ['1n', 1n],
  ['.5', 500_000_000n],
  ['5.', 5n * ONE],
  ['1e3', 1000n * ONE],
  ['1E3', 1000n * ONE],
  ['2E-3', 2_000_000n],
  ['1k', 1000n * ONE],
  ['1Ki', 1024n * ONE],
  ['1.5Gi', 1_610_612_736n * ONE],
  ['9007199254740993', 9007199254740993n * ONE],
  ['1Ei', 2n ** 60n * ONE],
  ['1E', 10n ** 18n * ONE],
  ['-3', -3n * ONE],
  ['0.0000000001', 1n],
  ['', undefined],
  ['Gi', undefined],
  ['1 Gi', undefined],
  ['1KI', undefined],
  ['abc', undefined],
])('%s', (text, expected) => expect(parseQuantity(text)).toBe(expected));

test('the same amount in other words', () => {
  expect(sameQuantity('1', '1000m')).toBe(true);
  expect(sameQuantity('1Gi', '1024Mi')).toBe(true);
  expect(sameQuantity('1G', '1Gi')).toBe(false);
  expect(sameQuantity(undefined, '0')).toBe(false);
});

test('as numbers and as GPUs', () => {
  expect(quantityNumber('95500m')).toBe(95.5);
  expect(quantityNumber('1000Gi')).toBe(1000 * 2 ** 30);
  expect(quantityNumber(undefined)).toBeUndefined();
  expect(
    gpuCount({ cpu: '4', 'nvidia.com/gpu': '2', 'nvidia.com/mig-1g.10gb': '3', 'nvidia.com/gpu.product': '9' }),
  ).toBe(5);
});
