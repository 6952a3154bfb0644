import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EncodedBlock } from '../../store/index.ts';
import { encodeAppend, readAppends } from './frames.ts';

const block: fc.Arbitrary<EncodedBlock> = fc.record({
  table: fc.constantFrom('samples', 'series', 'object_versions'),
  block: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
});
const appends = fc.array(fc.array(block, { minLength: 1, maxLength: 4 }), { maxLength: 6 });
const request = fc.record({ hash: fc.uint8Array({ minLength: 16, maxLength: 16 }), atMs: fc.double({ noNaN: true }) });

test('whole appends come back with the requests that brought them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.array(block, { maxLength: 4 }), fc.option(request, { nil: undefined }))),
      (all) => {
        const bytes = Buffer.concat(all.flatMap(([blocks, mark]) => encodeAppend(blocks, mark)));
        const requests = all.flatMap(([, mark]) => mark ?? []);
        expect(readAppends(bytes)).toEqual({
          frames: all.flatMap(([blocks]) => blocks),
          requests,
          bytes: bytes.length,
        });
      },
    ),
  );
});

test('of a torn or damaged segment the whole appends before the damage come back, and nothing else', () => {
  fc.assert(
    fc.property(appends, fc.nat(), fc.nat(), fc.uint8Array({ maxLength: 40 }), (all, where, bit, junk) => {
      const pieces = all.map((blocks) => Buffer.concat(encodeAppend(blocks)));
      const bytes = Buffer.concat(pieces);
      const cut = bytes.length === 0 ? 0 : where % bytes.length;
      const damaged = Buffer.from(bytes);
      if (bytes.length > 0) damaged[cut] = (damaged[cut] ?? 0) ^ (1 << (bit % 8));
      for (const broken of [bytes.subarray(0, cut), Buffer.concat([bytes.subarray(0, cut), junk]), damaged]) {
        const { frames, bytes: whole } = readAppends(broken);
        const count = wholeBefore(pieces, cut);
        // The two unused bytes of a header may be damaged without harm.
        expect(frames.length).toBeGreaterThanOrEqual(all.slice(0, count).flat().length);
        expect(all.flat().slice(0, frames.length)).toEqual(frames);
        expect(whole).toBeLessThanOrEqual(broken.length);
      }
    }),
  );
});

/** How many appends end at or before `cut`. */
function wholeBefore(pieces: readonly Buffer[], cut: number): number {
  return pieces.filter((_, i) => lengthTo(pieces, i) <= cut).length;
}

function lengthTo(pieces: readonly Buffer[], last: number): number {
  return pieces.slice(0, last + 1).reduce((sum, piece) => sum + piece.length, 0);
}
