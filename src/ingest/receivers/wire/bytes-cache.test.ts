import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBytesCache } from './bytes-cache.ts';

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

it('gives every run of bytes its own entry, wherever it lies, and keeps it when the bytes change', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 60 }), fc.nat({ max: 5 }), (runs, before) => {
      const cache = createBytesCache<string>();
      for (let round = 0; round < 2; round++) {
        for (const run of runs) {
          const around = new Uint8Array([...new Uint8Array(before), ...run, 7, 7]);
          const name = run.join();
          expect(cache.of(viewOf(around), before, before + run.length, () => name)).toBe(name);
          around.fill(1);
        }
      }
    }),
  );
});

it('tells apart what has the same hash', () => {
  const cache = createBytesCache<number>();
  // 200,000 runs over 2^30 hashes: some twenty pairs collide.
  const key = (i: number) => {
    const bytes = new Uint8Array(8);
    viewOf(bytes).setUint32(0, i, true);
    viewOf(bytes).setUint32(4, Math.imul(i, 7), true);
    return viewOf(bytes);
  };
  for (let i = 0; i < 200_000; i++) cache.of(key(i), 0, 8, () => i);
  for (let i = 0; i < 200_000; i++) expect(cache.of(key(i), 0, 8, () => -1)).toBe(i);
});

it('forgets what was not asked for while as many others came', () => {
  const cache = createBytesCache<string>(2);
  const ask = (text: string, entry = text) => cache.of(viewOf(Buffer.from(text)), 0, text.length, () => entry);
  for (const text of ['a', 'b', 'c']) ask(text);
  expect(ask('a', 'again')).toBe('a');
  for (const text of ['d', 'e']) ask(text);
  expect(['a', 'b'].map((text) => ask(text, 'new'))).toEqual(['a', 'new']);
});
