import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutLine, shortenBeforeRedaction } from './cut-line.ts';

it.each([
  ['short', 10, 'short'],
  ['exactly10!', 10, 'exactly10!'],
  ['one more ..', 10, 'one more .…[cut: 1 bytes]'],
  ['aé', 2, 'a…[cut: 2 bytes]'],
  ['a🙂b', 4, 'a…[cut: 5 bytes]'],
  ['a🙂b', 5, 'a🙂…[cut: 1 bytes]'],
])('%s within %d bytes is %s', (text, max, expected) => {
  expect(cutLine(text, max)).toBe(expected);
});

it('keeps the beginning byte for byte and says how many bytes are gone', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 60 }), (text, max) => {
      const cut = cutLine(text, max);
      const mark = /…\[cut: (\d+) bytes\]$/.exec(cut);
      const kept = mark === null ? cut : cut.slice(0, mark.index);
      expect(text.startsWith(kept)).toBe(true);
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(max);
      expect(Buffer.byteLength(kept) + Number(mark?.[1] ?? 0)).toBe(Buffer.byteLength(text));
    }),
  );
});

it('bounds what is redacted, and counts what that took away', () => {
  const line = 'x'.repeat(1_000_000);
  const { text, lost } = shortenBeforeRedaction(line, 1000);
  expect(text.length).toBeLessThan(100_000);
  expect(cutLine(text, 1000, lost)).toBe(`${'x'.repeat(1000)}…[cut: 999000 bytes]`);
});
