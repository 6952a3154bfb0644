import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { compressSync } from 'snappy';
import { describe, expect, it } from 'vitest';
import { isStaleAt } from '../../../model/index.ts';
import {
  createSeriesCache,
  DecodeError,
  decodeText,
  decompress,
  ProtoReader,
  ProtoWriter,
  parseJson,
  RefusedRequest,
  SampleBuilder,
  withUnsnappied,
} from './index.ts';

const unsnappied = (body: Buffer, maxBytes: number) =>
  withUnsnappied(body, maxBytes, async (content) => Buffer.from(content));

describe('ProtoReader', () => {
  const read = <T>(bytes: Buffer, of: (reader: ProtoReader) => T) => {
    const reader = new ProtoReader(bytes);
    reader.tag();
    const value = of(reader);
    expect(reader.pos).toBe(bytes.length);
    return value;
  };

  it('reads any 64-bit integer exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(read(new ProtoWriter().varint(1, value).finish(), (r) => r.int64Exact())).toBe(value);
        expect(read(new ProtoWriter().fixed64(1, value).finish(), (r) => r.sfixed64())).toBe(value);
      }),
    );
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(read(new ProtoWriter().varint(1, value).finish(), (r) => r.int64())).toBe(value);
      }),
    );
  });

  it('reads any text, and gives equal short texts as one object', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(read(new ProtoWriter().bytes(1, text).finish(), (r) => r.string())).toBe(text);
      }),
    );
    const bytes = Buffer.from('namespacenamespace');
    expect(decodeText(bytes, 0, 9)).toBe('namespace');
    expect(decodeText(bytes, 9, 18)).toBe('namespace');
  });

  it.each<[string, Buffer, (reader: ProtoReader) => unknown, RegExp]>([
    ['a number without an end', Buffer.alloc(11, 0xff), (r) => r.int64(), /at byte 10: a number of more than 10 bytes/],
    ['a number cut off', Buffer.from([0x80]), (r) => r.uint32(), /at byte 1: ends inside a number/],
    ['a length beyond the end', Buffer.from([5, 1]), (r) => r.string(), /at byte 0: 5 bytes announced, 1 left/],
    ['field number 0', Buffer.from([0]), (r) => r.tag(), /at byte 0: field number 0/],
    ['a double cut off', Buffer.alloc(7), (r) => r.double(), /8 bytes needed, 7 left/],
    [
      'a field over its message’s end',
      Buffer.from([1, 0x09, 0, 0, 0, 0, 0, 0, 0, 0]),
      (r) => {
        const end = r.length();
        r.skip(r.tag());
        r.more(end);
      },
      /a field runs past the end of its message at byte 2/,
    ],
  ])('says where: %s', (_title, bytes, work, message) => {
    const attempt = () => work(new ProtoReader(bytes));
    expect(attempt).toThrow(DecodeError);
    expect(attempt).toThrow(message);
  });
});

describe('parseJson', () => {
  it('agrees with JSON.parse wherever no digit is lost', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        // The second element makes the exact parser read all of it.
        const [parsed] = parseJson(Buffer.from(`[${text},12345678901234567890]`)) as unknown[]; // an array was written
        const asNumbers = (_key: string, item: unknown) => (typeof item === 'bigint' ? Number(item) : item);
        expect(JSON.stringify(parsed, asNumbers)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('keeps integers that a double cannot hold', () => {
    expect(
      parseJson(Buffer.from('{"a": 9007199254740993, "b": -18446744073709551615, "c": 1e3, "d": "9007199254740993"}')),
    ).toEqual({
      a: 9007199254740993n,
      b: -18446744073709551615n,
      c: 1000,
      d: '9007199254740993',
    });
  });

  it.each([
    ['{"a": }', 'line 1, column 7: expected a value, found "}"'],
    ['{\n "a" 1}', 'line 2, column 6: expected ":", found "1"'],
    ['[1, 2', 'line 1, column 6: expected "," or "]", found the end'],
    ['"abc', 'a string without an end'],
    ['"\\x"', 'a string with a bad escape'],
    ['{a: 1}', 'line 1, column 2: expected a name in quotes, found "a"'],
    ['{"password" =hunter2}', /expected ":", found "="$/],
    ['1 2', 'expected the end, found "2"'],
    ['01', 'expected the end'],
    ['', 'expected a value, found the end'],
    ['['.repeat(400), 'nested more than 300 deep'],
  ])('says where: %s', (text, message) => {
    expect(() => parseJson(Buffer.from(text))).toThrow(message);
    expect(() => parseJson(Buffer.from(text))).toThrow(DecodeError);
  });
});

/** The same JSON by `zstd` 1.5.4: of a file at level 19, and of a pipe, where it does not know the size. */
const ZSTD_SAMPLES = [
  [
    'with its size',
    'KLUv/SRyPQIAUoQOEbA9nFYx+1NDRBsEnF0lawAPb968+V/g3cw2LM8+ZLkGZdwalipHCnrisbyfp7i1hI3LBSc4PTLcGgMApFwnE5+xzSYlfsdq',
  ],
  [
    'without',
    'KLUv/QRYZQIAUsQPF5DFOWSVjUjobzF7hIsXxB4JYg4yd90Ka9as2XVwxENsPoUGkZQkAeplDqAfKH9uSMflR70Ks6YLd1JdL70CAwCkXAcUPmObTSV+x2o=',
  ],
] as const;
const SKIPPABLE = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9]);

describe('bodies', () => {
  it.each([
    ['gzip', gzipSync('hello')],
    ['GZIP', gzipSync('hello')],
    ['identity', Buffer.from('hello')],
    [undefined, Buffer.from('hello')],
    ['deflate', deflateSync('hello')],
    ['deflate', deflateRawSync('hello')],
    ['zlib', deflateSync('hello')],
    ['snappy', compressSync('hello')],
    ['snappy', snappyStream(compressSync('hel'), Buffer.from('lo'))],
    ['x-snappy-framed', snappyStream(compressSync('hello'))],
    [
      'zstd',
      zstdFrame([
        ['raw', 'hel'],
        ['raw', ''],
        ['raw', 'lo'],
      ]),
    ],
    [
      'zstd',
      Buffer.concat([
        zstdFrame([['raw', 'he']]),
        SKIPPABLE,
        zstdFrame([['repeat', 'l', 2]]),
        zstdFrame([['raw', 'o']]),
      ]),
    ],
  ])('undoes %s', async (encoding, body) => {
    expect((await decompress(body, encoding, 100)).toString()).toBe('hello');
  });

  it.each(ZSTD_SAMPLES)('undoes zstd as the reference program writes it, %s', async (_title, body) => {
    const bytes = Buffer.from(body, 'base64');
    expect((await decompress(bytes, 'zstd', 1000)).toString()).toContain('hello hello hello');
    await expect(decompress(bytes, 'zstd', 100)).rejects.toMatchObject({ status: 413 });
    for (let length = 1; length < bytes.length; length++) {
      await expect(decompress(bytes.subarray(0, length), 'zstd', 1000)).rejects.toThrow(DecodeError);
    }
  });

  it.each<[string, Buffer]>([
    [
      'repeats without end',
      zstdFrame(
        Array.from({ length: 100 }, () => ['repeat', 'x', 131_072]),
        7 << 3,
      ),
    ],
    ['a huge window', zstdFrame([['raw', 'x']], 31 << 3)],
    [
      'blocks without content',
      zstdFrame(
        Array.from({ length: 1000 }, () => ['raw', '']),
        13 << 3,
      ),
    ],
  ])('refuses a zstd bomb: %s', async (_title, body) => {
    await expect(decompress(body, 'zstd', 1_000_000)).rejects.toMatchObject({ status: 413 });
  });

  it('refuses an encoding that it does not know', async () => {
    await expect(decompress(Buffer.alloc(1), 'br', 100)).rejects.toThrow(RefusedRequest);
  });

  it('refuses what gets too large, at the exact byte', async () => {
    const body = Buffer.alloc(1000);
    expect(await decompress(gzipSync(body), 'gzip', 1000)).toHaveLength(1000);
    await expect(decompress(gzipSync(body), 'gzip', 999)).rejects.toMatchObject({ status: 413 });
    expect(await unsnappied(compressSync(body), 1000)).toHaveLength(1000);
    await expect(unsnappied(compressSync(body), 999)).rejects.toMatchObject({ status: 413 });
  });

  it('any bytes are unpacked or refused as damaged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (bytes) => {
        const own = (error: unknown) =>
          expect(error instanceof DecodeError || error instanceof RefusedRequest).toBe(true);
        await unsnappied(Buffer.from(bytes), 10_000).catch(own);
        await decompress(Buffer.from(bytes), 'gzip', 10_000).catch(own);
        await decompress(Buffer.from(bytes), 'deflate', 10_000).catch(own);
        const sample = Buffer.from(ZSTD_SAMPLES[0]?.[1] ?? '', 'base64');
        sample.set(bytes.subarray(0, 3), 4 + ((bytes[4] ?? 0) % (sample.length - 7)));
        await decompress(sample, 'zstd', 10_000).catch(own);
        await decompress(Buffer.concat([sample.subarray(0, 4), bytes]), 'zstd', 10_000).catch(own);
        await decompress(Buffer.concat([snappyStream(), bytes]), 'snappy', 10_000).catch(own);
      }),
    );
  });
});

it('columns of samples grow and keep their bits', () => {
  const builder = new SampleBuilder(1);
  const index = builder.addSeries({ labels: ['__name__', 'a'], cluster: 'c' });
  builder.addStale(index, 1);
  for (let i = 0; i < 100; i++) builder.add(index, i, i / 3);
  const { values, timesMs, seriesOf } = builder.finish();
  expect([values.length, timesMs.length, seriesOf.length]).toEqual([101, 101, 101]);
  expect(isStaleAt(values, 0)).toBe(true);
  expect(values[100]).toBe(33);
});

it('a series cache forgets what was not asked for while as many others came', () => {
  const cache = createSeriesCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('c', 3);
  expect(cache.get('a')).toBe(1);
  cache.set('d', 4);
  cache.set('e', 5);
  expect(['b', 'd', 'e', 'a'].map((key) => cache.get(key))).toEqual([undefined, 4, 5, 1]);
});

it('a series cache holds no more than 256 characters of keys for each series, however long they are', () => {
  const cache = createSeriesCache<number>(4);
  const keys = ['a', 'b', 'c'].map((letter) => letter.repeat(512));
  for (const [i, key] of keys.entries()) cache.set(key, i);
  expect(keys.map((key) => cache.get(key))).toEqual([0, 1, 2]);
  for (let i = 0; i < 2; i++) cache.set(String(i).repeat(1024), i);
  expect(keys.map((key) => cache.get(key))).toEqual([undefined, undefined, undefined]);
  expect(cache.get('1'.repeat(1024))).toBe(1);
});

/** Snappy's framing: the stream's identifier and a chunk for each block or plain text; checksums are left zero. */
function snappyStream(...chunks: Buffer[]): Buffer {
  const parts: Uint8Array[] = [Buffer.from('\xff\x06\x00\x00sNaPpY\xfe\x02\x00\x00..', 'latin1')];
  for (const chunk of chunks) {
    const head = Buffer.alloc(8);
    head.writeUIntLE(chunk.length + 4, 1, 3);
    head[0] = chunk.toString() === 'lo' ? 1 : 0;
    parts.push(head, chunk);
  }
  return Buffer.concat(parts);
}

type ZstdBlock = ['raw', string] | ['repeat', string, number];

/** A frame with blocks that need no compressor; `window` is its descriptor (RFC 8878, 3.1.1.1.2), 1 kB if not given. */
function zstdFrame(blocks: ZstdBlock[], window = 0): Buffer {
  const parts: Uint8Array[] = [Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, window)];
  blocks.forEach(([kind, text, times = 0], i) => {
    const size = kind === 'raw' ? text.length : times;
    const head = Buffer.alloc(3);
    head.writeUIntLE((size << 3) | (kind === 'raw' ? 0 : 2) | (i === blocks.length - 1 ? 1 : 0), 0, 3);
    parts.push(head, Buffer.from(text));
  });
  return Buffer.concat(parts);
}
