import { isUtf8 } from 'node:buffer';

/**
 * UTF-8 text in which each byte that is not part of a character is written as `\xNN`, so that a line in another encoding
 * keeps what it says. With `inJson` the backslash is doubled, for bytes inside of JSON strings. Valid input comes back
 * as it is.
 */
export function escapeInvalidUtf8(bytes: Buffer, options: { inJson: boolean }): Buffer {
  if (isUtf8(bytes)) return bytes;
  const before = options.inJson ? '\\\\x' : '\\x';
  const pieces: Buffer[] = [];
  let valid = 0;
  for (let pos = 0; pos < bytes.length; ) {
    const length = characterAt(bytes, pos);
    if (length > 0) pos += length;
    else {
      pieces.push(bytes.subarray(valid, pos), Buffer.from(before + (bytes[pos] ?? 0).toString(16).padStart(2, '0')));
      valid = ++pos;
    }
  }
  pieces.push(bytes.subarray(valid));
  return Buffer.concat(pieces);
}

/** Bytes of the character that begins at `pos`, 0 where none does. */
function characterAt(bytes: Buffer, pos: number): number {
  const lead = bytes[pos] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length === 0) return 0;
  // No overlong forms, no surrogates, nothing beyond U+10FFFF.
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[pos + 1] ?? 0;
  if (second < lowest || second > highest) return 0;
  for (let i = 2; i < length; i++) if (((bytes[pos + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
