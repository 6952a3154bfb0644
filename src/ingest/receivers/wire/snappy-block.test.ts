import fc from 'fast-check';
import { compressSync, uncompressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../errors.ts';
import { announcedSize, unpackBlock } from './snappy-block.ts';

function unpack(block: Uint8Array): Buffer {
  const { size, start } = announcedSize(block);
  if (size > 1_000_000) throw new DecodeError('too large for this test');
  const output = Buffer.alloc(size + 8, 0xee);
  unpackBlock(block, start, output, size);
  expect(output.subarray(size)).toEqual(Buffer.alloc(8, 0xee));
  return output.subarray(0, size);
}

/** Text that repeats itself near and far, as bodies of telemetry do. */
const repetitive = fc
  .array(fc.tuple(fc.constantFrom('pod', '{job="a",', 'x', '\u0000', 'instance="10.0.0.1:9100"'), fc.nat({ max: 300 })))
  .map((parts) => Buffer.from(parts.map(([text, times]) => text.repeat(times)).join('')));

describe('a block of snappy', () => {
  it('is what the library packed', () => {
    fc.assert(
      fc.property(fc.oneof(repetitive, fc.uint8Array({ maxLength: 100_000, size: 'max' })), (content) => {
        expect(unpack(compressSync(Buffer.from(content)))).toEqual(Buffer.from(content));
      }),
      { numRuns: 60 },
    );
  });

  it('that is damaged is refused exactly when the library refuses it, and else has the same content', () => {
    fc.assert(
      fc.property(
        repetitive,
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 }),
        (content, changes) => {
          const block = Buffer.from(compressSync(content));
          for (const [at, byte] of changes) block[at % block.length] = byte;
          let theirs: Buffer | undefined;
          try {
            if (announcedSize(block).size <= 1_000_000) theirs = Buffer.from(uncompressSync(block));
          } catch {
            // it is damaged
          }
          let ours: Buffer | undefined;
          try {
            ours = unpack(block);
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError);
          }
          expect(ours).toEqual(theirs);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    [[], /ends at byte 0, inside its length/],
    [[0x85, 0x85, 0x85, 0x85, 0x85, 1], /does not end within 5 bytes/],
    [[5, 16, 1], /at byte 2: it ends inside a literal/],
    [[1, 4, 7, 7], /holds more than it announced/],
    [[4, 1, 0], /it copies from 0 bytes back, and only 0 are there/],
    [[4, 0, 7, 1, 2], /it copies from 2 bytes back, and only 1 are there/],
    [[4, 0, 7, 2], /ends inside a copy/],
    [[4, 0, 7, 1], /ends inside a copy/],
    [[2, 0, 7], /holds 1 bytes and announced 2/],
  ])('%j: %s', (bytes, message) => {
    expect(() => unpack(Uint8Array.from(bytes))).toThrow(message);
  });

  it('repeats what it has just written', () => {
    expect(unpack(Uint8Array.of(9, 0, 0x61, (4 << 2) | 1, 1)).toString()).toBe('aaaaaaaaa');
  });
});
