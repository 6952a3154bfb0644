import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manualClock } from '../../base/index.ts';
import { type SampleBatch, setStaleAt } from '../../model/index.ts';
import { createBatchEncoder } from '../encoding/encoder.ts';
import type { Store } from '../store.ts';
import { type CallOptions, type ParamValue, StoreError } from './port.ts';
import { selectRows } from './rows.ts';

const FINE: CallOptions = { limits: { seconds: 20, memoryBytes: 512 * 1024 ** 2 } };
/** Runs for hours unless somebody stops it. */
const ENDLESS = 'SELECT sum(sipHash64(number)) AS s FROM numbers(1000000000000)';

/** What every ClickHouse behind the port must do, embedded or remote. `open` gives a store with an empty database. */
export function portContract(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let store: Store;
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'trifocal-port-'));
      store = await open();
    });
    afterAll(async () => {
      await store?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const rows = (text: string, params: Record<string, ParamValue> = {}, options = FINE) =>
      selectRows(store.port, { text, params }, options);
    const failure = async (work: Promise<unknown>): Promise<StoreError> => {
      const error = await work.then(
        () => new Error('it did not fail'),
        (caught: unknown) => caught,
      );
      if (error instanceof StoreError) return error;
      throw error;
    };
    const running = async (marker: string) =>
      (
        await rows(
          'SELECT query_id FROM system.processes WHERE position(query, {m:String}) > 0 AND position(query, {own:String}) = 0',
          { m: marker, own: 'system.processes' },
        )
      ).length;
    const untilRunning = async (marker: string, count: number) => {
      while ((await running(marker)) !== count) await new Promise((resolve) => setTimeout(resolve, 20));
    };

    describe('types', () => {
      const cases: [string, unknown][] = [
        ['toUInt8(255)', 255],
        ['toInt32(-5)', -5],
        ['toUInt64(18446744073709551615)', 18446744073709551615n],
        ['toInt64(-9223372036854775808)', -9223372036854775808n],
        ['toFloat32(1.5)', 1.5],
        ['true', 1],
        ["toFixedString('ab', 3)", Uint8Array.of(97, 98, 0)],
        ["toDateTime64('1969-12-31 23:59:59.500', 3, 'UTC')", -500n],
        ["toDateTime64('2026-01-01 00:00:00.000000001', 9, 'UTC')", 1767225600000000001n],
        ["toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')", '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
        ["toLowCardinality('x')", 'x'],
        ["CAST(NULL, 'LowCardinality(Nullable(String))')", null],
        ["CAST(2, 'Enum8(\\'one\\' = 1, \\'t,w\\' = 2)')", 't,w'],
        ["CAST(NULL, 'Nullable(Float64)')", null],
        ['[1.5, 2.5]', Float64Array.of(1.5, 2.5)],
        ["CAST([], 'Array(LowCardinality(String))')", []],
        ["CAST([1, NULL], 'Array(Nullable(UInt16))')", [1, null]],
        ["CAST(map('a', 'b'), 'Map(LowCardinality(String), String)')", new Map([['a', 'b']])],
        ["CAST(map(), 'Map(String, String)')", new Map()],
        ["CAST((1, 'x'), 'Tuple(a UInt8, b String)')", [1, 'x']],
        ['NULL', null],
      ];
      test.each(cases)('%s', async (expression, expected) => {
        expect(await rows(`SELECT ${expression} AS v`)).toEqual([{ v: expected }]);
      });
    });

    test('parameters are bound, never spliced', async () => {
      const params = {
        text: `'; DROP TABLE samples; -- \\ \n\t {x:String} ü`,
        big: 18446744073709551615n,
        list: [1n, 18446744073709551615n],
        texts: ["it's", 'a\\b', 'c\nd'],
        negative: -5,
        flag: true,
      };
      const text = `SELECT {text:String} AS text, {big:UInt64} AS big, {list:Array(UInt64)} AS list, {texts:Array(String)} AS texts,
        {negative:Int64} AS negative, {flag:Bool} AS flag`;
      expect(await rows(text, params)).toEqual([
        { ...params, list: BigUint64Array.from(params.list), negative: -5n, flag: 1 },
      ]);
    });

    test('long lists of ids', async () => {
      const ids = Array.from({ length: 25_000 }, (_, i) => 18_446_744_073_709_551_615n - BigInt(i));
      const text = 'SELECT length({ids:Array(UInt64)}) AS n, {ids:Array(UInt64)}[-1] AS last';
      expect(await rows(text, { ids })).toEqual([{ n: 25_000n, last: ids.at(-1) }]);
    });

    test('one query at a time leaves nothing behind for the next', async () => {
      const strict: CallOptions = { limits: { ...FINE.limits, resultRows: 1 } };
      for (let i = 0; i < 8; i++) await rows('SELECT {x:UInt8} AS x', { x: i }, strict);
      expect(await rows('SELECT number FROM numbers(3)')).toHaveLength(3);
    });

    test('many at once each get their own answer', async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => rows('SELECT {x:UInt32} AS x, sleep(0.01)', { x: i })),
      );
      expect(answers.map(([row]) => row?.x)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    });

    test('a large result streams in blocks', async () => {
      let count = 0;
      let blocks = 0;
      for await (const block of store.port.select({ text: 'SELECT number FROM numbers(1000000)', params: {} }, FINE)) {
        count += block.rows;
        blocks++;
      }
      expect(count).toBe(1_000_000);
      expect(blocks).toBeGreaterThan(1);
    });

    describe('limits', () => {
      test('time', async () => {
        const error = await failure(rows(ENDLESS, {}, { limits: { ...FINE.limits, seconds: 0.2 } }));
        expect(error).toMatchObject({ kind: 'limit', limit: 'time 0.2 s' });
      });
      test('memory', async () => {
        const text = 'SELECT length(groupArray(number)) FROM numbers(100000000)';
        const error = await failure(rows(text, {}, { limits: { ...FINE.limits, memoryBytes: 16 * 1024 ** 2 } }));
        expect(error).toMatchObject({ kind: 'limit', limit: `memory ${16 * 1024 ** 2} bytes` });
      });
      test('rows of the result, also when they come one by one', async () => {
        const text = 'SELECT number FROM numbers(1000) SETTINGS max_block_size = 1';
        const error = await failure(rows(text, {}, { limits: { ...FINE.limits, resultRows: 100 } }));
        expect(error).toMatchObject({ kind: 'limit', limit: 'result rows 100' });
      });
    });

    describe('errors', () => {
      test('of the statement', async () => {
        expect(await failure(rows('SELECT nonsense FROM nowhere'))).toMatchObject({ kind: 'statement' });
      });
      test('in the middle of a result', async () => {
        const text = "SELECT throwIf(number = 300000, 'too far') FROM numbers(1000000)";
        const error = await failure(rows(text));
        expect(error.kind).toBe('statement');
        expect(error.message).toContain('too far');
      });
    });

    describe('abort', () => {
      test.each([
        ['before the first row', `${ENDLESS} SETTINGS log_queries = 1 /* m1 */`, 'm1'],
        ['of one that runs whole', `SELECT * FROM (${ENDLESS}) /* m2 */`, 'm2'],
      ])('%s stops it in the engine', async (_, text, marker) => {
        const controller = new AbortController();
        const result = failure(rows(text, {}, { ...FINE, signal: controller.signal }));
        await untilRunning(marker, 1);
        controller.abort();
        expect((await result).kind).toBe('aborted');
        await untilRunning(marker, 0);
      });

      test('in the middle of a result stops it in the engine', async () => {
        const controller = new AbortController();
        const text = 'SELECT number FROM numbers(100000000000) /* m3 */';
        const read = async () => {
          for await (const _ of store.port.select({ text, params: {} }, { ...FINE, signal: controller.signal }))
            controller.abort();
        };
        expect((await failure(read())).kind).toBe('aborted');
        await untilRunning('m3', 0);
      });

      test('leaving the loop stops it in the engine', async () => {
        const text = 'SELECT number FROM numbers(100000000000) /* m4 */';
        for await (const _ of store.port.select({ text, params: {} }, FINE)) break;
        await untilRunning('m4', 0);
      });

      test('one that waits for its turn never runs', async () => {
        const blockers = new AbortController();
        const busy = Array.from({ length: 12 }, () =>
          failure(rows(`${ENDLESS} /* m5 */`, {}, { ...FINE, signal: blockers.signal })),
        );
        const waiting = new AbortController();
        const late = failure(rows(`${ENDLESS} /* m6 */`, {}, { ...FINE, signal: waiting.signal }));
        waiting.abort();
        expect((await late).kind).toBe('aborted');
        blockers.abort();
        expect(new Set((await Promise.all(busy)).map((error) => error.kind))).toEqual(new Set(['aborted']));
        await untilRunning('m6', 0);
        await untilRunning('m5', 0);
      });

      test('by a signal that was aborted before', async () => {
        expect((await failure(rows('SELECT 1', {}, { ...FINE, signal: AbortSignal.abort() }))).kind).toBe('aborted');
      });
    });

    describe('segments', () => {
      const samplesOf = (metric: string, timesMs: number[]): SampleBatch => ({
        series: [{ labels: ['__name__', metric, 'job', 'x'], cluster: 'c' }],
        seriesOf: new Uint32Array(timesMs.length),
        timesMs: Float64Array.from(timesMs),
        values: Float64Array.from(timesMs, (_, i) => i),
      });
      const writeSegment = async (file: string, batches: SampleBatch[]) => {
        const encoder = createBatchEncoder(manualClock(0));
        const blocks = batches
          .flatMap((samples) => encoder.encode({ samples }).blocks)
          .filter(({ table }) => table === 'samples');
        await writeFile(join(folder, file), Buffer.concat(blocks.map(({ block }) => block)));
        return join(folder, file);
      };
      const count = async () => Number((await rows('SELECT count() AS c FROM samples'))[0]?.c);

      test('the same token adds rows once, another token adds them again', async () => {
        const before = await count();
        const file = await writeSegment('a.native', [samplesOf('m', [1, 2, 3]), samplesOf('m', [4, 5])]);
        for (let i = 0; i < 3; i++) await store.port.insertSegment({ table: 'samples', file, token: 'token-a' }, FINE);
        expect(await count()).toBe(before + 5);
        await store.port.insertSegment({ table: 'samples', file, token: 'token-b' }, FINE);
        expect(await count()).toBe(before + 10);
        const other = await writeSegment('b.native', [samplesOf('m', [9])]);
        await store.port.insertSegment({ table: 'samples', file: other, token: 'token-c' }, FINE);
        expect(await count()).toBe(before + 11);
      });

      test('more days than a block may have by default', async () => {
        const before = await count();
        const days = Array.from({ length: 150 }, (_, i) => i * 86_400_000);
        const file = await writeSegment('days.native', [samplesOf('m', days)]);
        await store.port.insertSegment({ table: 'samples', file, token: 'token-days' }, FINE);
        expect(await count()).toBe(before + 150);
      });

      test('values keep their bits, times may be negative', async () => {
        const batch = samplesOf('bits', [-1, 0, 1_767_225_600_123, -62_000_000]);
        setStaleAt(batch.values, 0);
        const words = new BigUint64Array(batch.values.buffer);
        words[1] = 0x7ff8_0000_dead_beefn;
        words[2] = 0x8000_0000_0000_0000n;
        const file = await writeSegment('bits.native', [batch]);
        await store.port.insertSegment({ table: 'samples', file, token: 'token-bits' }, FINE);
        const id = 'SELECT metric_id FROM samples WHERE reinterpretAsUInt64(value) = {stale:UInt64}';
        const text = `SELECT ts, reinterpretAsUInt64(value) AS bits FROM samples WHERE metric_id IN (${id}) ORDER BY ts`;
        const found = await rows(text, { stale: 0x7ff0_0000_0000_0002n });
        expect(found.map((row) => [row.ts, row.bits])).toEqual([
          [-62_000_000n, 0x4008_0000_0000_0000n],
          [-1n, 0x7ff0_0000_0000_0002n],
          [0n, 0x7ff8_0000_dead_beefn],
          [1_767_225_600_123n, 0x8000_0000_0000_0000n],
        ]);
      });

      test('a torn file is refused whole', async () => {
        const before = await count();
        const whole = await writeSegment('whole.native', [samplesOf('m', [1, 2, 3])]);
        const torn = join(folder, 'torn.native');
        await writeFile(torn, (await readFile(whole)).subarray(0, -4));
        const error = await failure(
          store.port.insertSegment({ table: 'samples', file: torn, token: 'token-torn' }, FINE),
        );
        expect(error.kind).toBe('data');
        expect(await count()).toBe(before);
      });
    });
  });
}
