import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeInvalidUtf8 } from './invalid-utf8.ts';

it.each([
  ['caf\xe9', 'caf\\xe9'],
  ['\xff\xfe', '\\xff\\xfe'],
  ['a\xe2\x82', 'a\\xe2\\x82'],
  ['\xc0\x80', '\\xc0\\x80'],
  ['\xed\xa0\x80', '\\xed\\xa0\\x80'],
  ['\xf4\x90\x80\x80', '\\xf4\\x90\\x80\\x80'],
])('%o', (latin1, expected) => {
  expect(escapeInvalidUtf8(Buffer.from(latin1, 'latin1'), { inJson: false }).toString()).toBe(expected);
});

it('any bytes become UTF-8 from which they can be told again, and text stays as it is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (array) => {
      const bytes = Buffer.from(array.filter((byte) => byte !== 0x5c));
      const escaped = escapeInvalidUtf8(bytes, { inJson: false });
      expect(isUtf8(escaped)).toBe(true);
      const back = escaped
        .toString('latin1')
        .replace(/\\x(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
      expect(Buffer.from(back, 'latin1')).toEqual(bytes);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = Buffer.from(text);
      expect(escapeInvalidUtf8(bytes, { inJson: true })).toBe(bytes);
    }),
  );
});
