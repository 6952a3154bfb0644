import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ColumnBlock } from '../port.ts';
import { decodeNative, IncompleteBlockError } from './decode.ts';
import { ArrayColumn, encodeBlock, LowCardinalityColumn, MapColumn, PlainColumn, TextColumn } from './encode.ts';
import { parseNativeType } from './type.ts';

interface Row {
  bits: bigint;
  integer: bigint;
  text: string;
  few: string;
  bytes: Uint8Array;
  map: [string, string][];
  texts: string[];
  maps: [string, string][][];
}

const pairs = fc.uniqueArray(fc.tuple(fc.string(), fc.string({ unit: 'binary' })), {
  selector: ([key]) => key,
  maxLength: 5,
});
const row: fc.Arbitrary<Row> = fc.record({
  bits: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  integer: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  text: fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 25, maxLength: 200 })),
  few: fc.constantFrom('', 'a', 'prod-eu', 'ü'),
  bytes: fc.uint8Array({ minLength: 4, maxLength: 4 }),
  map: pairs,
  texts: fc.array(fc.constantFrom('x', 'y', ''), { maxLength: 4 }),
  maps: fc.array(pairs, { maxLength: 3 }),
});

describe('Native format', () => {
  test('what is encoded comes back exactly, however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(row, { minLength: 1, maxLength: 30 }), { maxLength: 3 }),
        fc.integer({ min: 1, max: 400 }),
        async (blocks, cut) => {
          const decoded = await collect(cutInto(Buffer.concat(blocks.map(encodeRows)), cut));
          expect(decoded.flatMap(rowsOf)).toEqual(blocks.flat());
        },
      ),
      { numRuns: 60 },
    );
  });

  test('dictionaries beyond 256 and 65,536 entries', async () => {
    for (const size of [256, 257, 65_536, 65_537]) {
      const column = new LowCardinalityColumn();
      for (let i = 0; i < size; i++) column.push(`v${i}`);
      const [block] = await collect(cutInto(encodeBlock(size, { column }), 65_536));
      expect(block?.columns.get('column')?.[size - 1]).toBe(`v${size - 1}`);
    }
  });

  test('a block that ends early is an error that carries its last bytes', async () => {
    const whole = encodeRows([
      { bits: 1n, integer: 2n, text: 't', few: '', bytes: new Uint8Array(4), map: [], texts: [], maps: [] },
    ]);
    const torn = Buffer.concat([whole.subarray(0, whole.length - 3), Buffer.from('Code: 159. DB::Exception: Timeout')]);
    const error = await collect(cutInto(torn, 50)).catch((caught) => caught);
    expect(error).toBeInstanceOf(IncompleteBlockError);
    expect(String(error.rest)).toContain('Code: 159');
  });

  test('types it does not know are named', () => {
    expect(() => parseNativeType('Map(String, AggregateFunction(sum, UInt8))')).toThrow(
      'AggregateFunction(sum, UInt8)',
    );
  });
});

function encodeRows(rows: readonly Row[]): Buffer {
  const bits = new PlainColumn('Float64');
  const integer = new PlainColumn('Int64');
  const text = new TextColumn();
  const few = new LowCardinalityColumn();
  const bytes = new PlainColumn('FixedString(4)');
  const map = new MapColumn(new LowCardinalityColumn(), new TextColumn());
  const texts = new ArrayColumn(new LowCardinalityColumn());
  const maps = new ArrayColumn(new MapColumn(new LowCardinalityColumn(), new TextColumn()));
  const fill = (list: [string, string][]) => (push: (key: string, value: string) => void) => {
    for (const [key, value] of list) push(key, value);
  };
  for (const one of rows) {
    bits.values.bigint64(one.bits);
    integer.values.bigint64(one.integer);
    text.push(one.text);
    few.push(one.few);
    bytes.values.hex(Buffer.from(one.bytes).toString('hex'), 4);
    map.push(one.map, fill(one.map));
    for (const item of one.texts) texts.items.push(item);
    texts.endRow(one.texts.length);
    for (const item of one.maps) maps.items.push(item, fill(item));
    maps.endRow(one.maps.length);
  }
  return encodeBlock(rows.length, { bits, integer, text, few, bytes, map, texts, maps });
}

function rowsOf({ rows, columns }: ColumnBlock): Row[] {
  const floats = columns.get('bits');
  if (!(floats instanceof Float64Array)) throw new Error('no floats');
  const bits = new BigUint64Array(floats.buffer);
  const entries = (value: unknown) => [...(value as ReadonlyMap<string, string>)]; // the test encoded maps
  const mapLists = columns.get('maps') as unknown as unknown[][]; // the test encoded arrays of maps
  return Array.from({ length: rows }, (_, i) => ({
    bits: bits[i] ?? -1n,
    integer: BigInt(String(columns.get('integer')?.[i])),
    text: String(columns.get('text')?.[i]),
    few: String(columns.get('few')?.[i]),
    bytes: columns.get('bytes')?.[i] as Uint8Array, // fixed strings come as bytes
    map: entries(columns.get('map')?.[i]),
    texts: columns.get('texts')?.[i] as string[], // the test encoded texts
    maps: (mapLists[i] ?? []).map(entries),
  }));
}

async function* cutInto(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
}

async function collect(pieces: AsyncGenerator<Buffer>): Promise<ColumnBlock[]> {
  const blocks: ColumnBlock[] = [];
  for await (const block of decodeNative(pieces)) blocks.push(block);
  return blocks;
}
