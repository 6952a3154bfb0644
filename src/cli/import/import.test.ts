import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { compressSync } from 'snappy';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { BadPart, Batch } from './batch.ts';
import { batchesOf } from './batches.ts';
import { openContent } from './content.ts';
import { detectFormat } from './format.ts';
import { runsOfLines } from './lines.ts';
import { jsonObjects, yamlObjects } from './objects.ts';
import { ContentError, runImport } from './run.ts';
import { describeFiles, type ImportState, readState } from './state.ts';

const folder = mkdtempSync(join(tmpdir(), 'trifocal-import-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string) => join(folder, name);

async function* pieces(content: string | Buffer, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const line = (key: string, id: number) => `{"${key}":[{"id":${id}}]}`;

describe('formats', () => {
  test.each<[string, string | Buffer, object]>([
    [
      'OpenMetrics',
      '# TYPE a counter\n# HELP a x\na_total{b="c d"} 1 1700000000.5\n',
      { kind: 'metrics-text', time: 'seconds' },
    ],
    ['Prometheus text', 'a{b="}"} NaN 1700000000500\n', { kind: 'metrics-text', time: 'milliseconds' }],
    [
      'OpenMetrics with an exemplar',
      'a_bucket{le="1"} 1 1700000000 # {trace_id="x"} 1 2\n',
      { kind: 'metrics-text', time: 'seconds' },
    ],
    ['remote write 1.0', compressSync(Buffer.from([10, 3, 1, 2, 3])), { kind: 'remote-write', version: 1 }],
    ['remote write 2.0', compressSync(Buffer.from([0x22, 0, 0x2a, 3, 1, 2, 3])), { kind: 'remote-write', version: 2 }],
    [
      'a long literal',
      compressSync(Buffer.from(Array.from({ length: 300 }, (_, i) => (i === 0 ? 10 : (i * 89) % 256)))),
      { kind: 'remote-write', version: 1 },
    ],
    [
      'OTLP lines',
      `${line('resourceSpans', 1)}\n${line('resourceSpans', 2)}\n`,
      { kind: 'otlp', signal: 'traces', lines: true },
    ],
    ['one OTLP body', '{\n  "resourceLogs": []\n}\n', { kind: 'otlp', signal: 'logs', lines: false }],
    ['Loki lines', `${line('streams', 1)}\n`, { kind: 'loki', lines: true }],
    ['one Loki body', '{\n "streams": [\n]}', { kind: 'loki', lines: false }],
    ['a dump as JSON', '{\n    "apiVersion": "v1",\n    "items": [', { kind: 'objects', syntax: 'json' }],
    ['a dump as YAML', 'apiVersion: v1\nitems:\n- apiVersion: v1\n', { kind: 'objects', syntax: 'yaml' }],
    ['YAML documents', '---\n# made by x\nkind: Pod\napiVersion: v1\n', { kind: 'objects', syntax: 'yaml' }],
  ])('%s', (_, content, format) => {
    expect(detectFormat(Buffer.from(content))).toEqual(format);
  });

  test.each([
    ['', /is empty/],
    ['a 1\nb 2\n', /samples without times \(a 1\)/],
    ['hello world, this is text\n', /no format that is known \(OpenMetrics.*YAML/],
    ['{"a": 1}', /begins with no key that is known/],
    [Buffer.from([1, 2, 3, 4]), /no format that is known/],
  ])('what is none: %s', (content, words) => {
    expect(() => detectFormat(Buffer.from(content))).toThrow(words);
  });

  test('any bytes are a format or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          detectFormat(Buffer.from(bytes));
        } catch (error) {
          expect(error).toMatchObject({ name: 'UnknownFormat' });
        }
      }),
    );
  });
});

describe('cutting', () => {
  test('runs of lines are whole lines, all of them, the same for pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 40 }).map((text) => text.replaceAll('\n', ' '))),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 100 }),
        async (lines, size, pieceSize) => {
          const content = lines.map((text) => `${text}\n`).join('');
          const runs = await all(runsOfLines(pieces(content, pieceSize), size));
          expect(runs.map(({ bytes }) => bytes.toString()).join('')).toBe(Buffer.from(content).toString());
          for (const { bytes } of runs) expect(bytes.at(-1)).toBe(10);
          const again = await all(runsOfLines(pieces(content, 7), size));
          expect(again.map(({ bytes, firstLine }) => [bytes.toString(), firstLine])).toEqual(
            runs.map(({ bytes, firstLine }) => [bytes.toString(), firstLine]),
          );
        },
      ),
    );
  });

  const objects = fc.array(
    fc.record({
      kind: fc.constant('Pod'),
      metadata: fc.dictionary(fc.string(), fc.string()),
      items: fc.array(fc.string()),
      list: fc.array(fc.jsonValue()),
    }),
  );
  test('objects come whole from Lists, arrays and sequences, for pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(objects, fc.integer({ min: 1, max: 90 }), fc.constantFrom(0, 2), async (list, size, indent) => {
        const text = (value: unknown) => JSON.stringify(value, null, indent);
        const forms = [
          text({ apiVersion: 'v1', items: list, kind: 'List', metadata: { resourceVersion: '' } }),
          text(list),
          list.map((one) => text({ kind: 'Pod', metadata: one.metadata })).join('\n'),
        ];
        for (const [i, form] of forms.entries()) {
          const found = (await all(jsonObjects(pieces(form, size)))).map((one) =>
            'text' in one ? JSON.parse(one.text) : one,
          );
          expect(found).toEqual(
            i === 2
              ? list.map(({ kind, metadata }) => JSON.parse(JSON.stringify({ kind, metadata })))
              : JSON.parse(JSON.stringify(list)),
          );
        }
      }),
    );
    await expect(all(jsonObjects(pieces('{"items": [{"a": 1}, {', 5)))).rejects.toThrow('ends in the middle');
  });

  test('YAML Lists and documents', async () => {
    const list =
      'apiVersion: v1\nitems:\n- kind: Pod\n  subsets:\n  - a\n  metadata:\n    name: x\n    text: |\n      one\n\n      three\n- kind: Node\nkind: List\nmetadata:\n  resourceVersion: ""\n';
    const documents = '---\nkind: Pod\nspec:\n  - a\n---\nkind: Service\n';
    const read = async (text: string) =>
      (await all(yamlObjects(pieces(text, 9)))).map((one) => ('text' in one ? JSON.parse(one.text) : one));
    expect(await read(list)).toEqual([
      { kind: 'Pod', subsets: ['a'], metadata: { name: 'x', text: 'one\n\nthree\n' } },
      { kind: 'Node' },
    ]);
    expect(await read(documents)).toEqual([{ kind: 'Pod', spec: ['a'] }, { kind: 'Service' }]);
    expect(await read('kind: Pod\n  bad: [\n---\nkind: Node\n')).toEqual([
      { place: 'object 1', reason: expect.stringMatching(/not YAML/) },
      { kind: 'Node' },
    ]);
  });
});

describe('requests', () => {
  const batches = async (name: string, content: string | Buffer): Promise<(Batch | BadPart)[]> => {
    writeFileSync(path(name), content);
    const opened = openContent(path(name));
    return all(batchesOf(opened, detectFormat(await opened.head(65_536)), { at: '2026-01-01T00:00:00.000Z' }));
  };
  const body = (batch: Batch | BadPart | undefined) =>
    batch && 'body' in batch ? JSON.parse(batch.body.toString()) : batch;

  test('lines of a kind go together, bad ones are told by their number, gzip or not', async () => {
    const content = `${line('resourceSpans', 1)}\n\n${line('resourceSpans', 2)}\n{"bad\n{"streams":{}}\n${line('resourceLogs', 3)}\n`;
    for (const bytes of [
      Buffer.from(content),
      gzipSync(content),
      Buffer.concat([gzipSync(content.slice(0, 30)), gzipSync(content.slice(30))]),
    ]) {
      const made = await batches('otlp', bytes);
      expect(made.filter((one) => 'reason' in one)).toEqual([
        { place: 'line 4', reason: expect.stringMatching(/^not JSON/) },
        { place: 'line 5', reason: 'neither OTLP nor Loki push' },
      ]);
      const sent = made.filter((one): one is Batch => 'body' in one);
      expect(sent.map((one) => [one.path, body(one)])).toEqual([
        ['/v1/traces', { resourceSpans: [{ id: 1 }, { id: 2 }] }],
        ['/v1/logs', { resourceLogs: [{ id: 3 }] }],
      ]);
      expect(sent[0]?.parts?.map(({ place }) => place)).toEqual(['line 1', 'line 3']);
    }
  });

  test('a large push body is sent in parts that together are the whole', async () => {
    const streams = [0, 1].map((s) => ({
      stream: { s: `${s}` },
      values: Array.from({ length: 30 }, (_, i) => [`${i}`, 'x'.repeat(60_000), {}]),
    }));
    const made = await batches('loki', JSON.stringify({ streams }, null, 1));
    expect(made.length).toBeGreaterThan(2);
    const values = made.flatMap((one) =>
      body(one).streams.flatMap((part: { stream: object; values: unknown[] }) =>
        part.values.map((value) => [part.stream, value]),
      ),
    );
    expect(values).toEqual(streams.flatMap(({ stream, values }) => values.map((value) => [stream, value])));
  });

  test('the type of a family goes on in the next part', async () => {
    const lines = Array.from({ length: 40_000 }, (_, i) => `a_bucket{le="${i}"} 1 1700000000\n`).join('');
    const made = (await batches('om', `# TYPE a histogram\n${lines}# EOF\n`)) as Batch[]; // there are no bad parts
    expect(made.length).toBeGreaterThan(1);
    for (const one of made) expect(one.body.toString().startsWith('# TYPE a histogram\n')).toBe(true);
    const text = `# TYPE a histogram\n${lines}# EOF\n`.split('\n');
    for (const { body, lineOffset = 0 } of made) expect(text[lineOffset + 1]).toBe(body.toString().split('\n')[1]);
  });
});

describe('an import', () => {
  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });
  /** A server that answers as `answer` says and keeps what it took. */
  const serve = async (answer: (body: string, number: number, response: ServerResponse) => void) => {
    const taken: string[] = [];
    let number = 0;
    const server = createServer(async (request: IncomingMessage, response) => {
      const body: Buffer[] = [];
      for await (const piece of request) body.push(piece);
      const text = Buffer.concat(body).toString();
      answer(text, number++, response);
      if (response.statusCode < 300) taken.push(text);
      response.end(response.statusCode === 400 ? 'bad thing' : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, taken }; // it listens on TCP
  };
  const begin = (name: string, server: string): ImportState => ({
    format: 1,
    files: describeFiles([path(name)]),
    at: '2026-01-01T00:00:00.000Z',
    server,
    done: 0,
    accepted: 0,
    rejected: {},
    skipped: [],
  });
  const run = (state: ImportState, signal: AbortSignal = new AbortController().signal) =>
    runImport(state, { stateFile: path('state'), parallel: 3, version: '1', signal, onProgress: () => {} });
  const many = Array.from({ length: 12 }, (_, i) => `{"streams":[{"id":${i},"x":"${'y'.repeat(600_000)}"}]}\n`).join(
    '',
  );

  test('back-pressure is waited for as long as asked, and everything arrives', async () => {
    writeFileSync(path('many'), many);
    const server = await serve((_, number, response) => {
      response.statusCode = number % 3 === 1 ? 503 : 204;
      if (response.statusCode === 503) response.setHeader('retry-after', '0.01');
    });
    const state = begin('many', server.url);
    await run(state);
    const ids = server.taken.flatMap((text) => JSON.parse(text).streams.map((stream: { id: number }) => stream.id));
    expect(ids.sort((a: number, b: number) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i));
    expect(state.rejected).toEqual({});
  });

  test('an interrupted one goes on with the first request that is not known to be done', async () => {
    writeFileSync(path('many'), many);
    const stop = new AbortController();
    const first = await serve((_, number, response) => {
      response.statusCode = 204;
      if (number === 3) stop.abort();
    });
    await expect(run(begin('many', first.url), stop.signal)).rejects.toThrow();
    const { server: _, ...left } = JSON.parse(readFileSync(path('state'), 'utf8')) as ImportState; // `run` wrote it
    expect(left.done).toBeGreaterThan(0);
    expect(left.done).toBeLessThan(6);
    const second = await serve((_, __, response) => {
      response.statusCode = 204;
    });
    const state = { ...left, server: second.url };
    await run(state);
    const ids = [...first.taken, ...second.taken].flatMap((text) =>
      JSON.parse(text).streams.map((stream: { id: number }) => stream.id),
    );
    expect(new Set(ids).size).toBe(12);
    expect(second.taken.length).toBe(6 - left.done);

    writeFileSync(path('many'), 'changed');
    expect(() => readState(path('state'), { ...state, files: describeFiles([path('many')]) })).toThrow(
      /the files have changed; delete/,
    );
  });

  test('what the server refuses is told by its line of the file, or by the lines that its request was made of', async () => {
    writeFileSync(path('two'), `${line('resourceSpans', 1)}\n\n${line('resourceSpans', 2)}\n`);
    const examples = ['resourceSpans[1].scopeSpans[0].spans[0]: bad', 'a span is too old', 'line 2: bad'];
    writeFileSync(path('om'), '# TYPE a gauge\na{} 1 1700000000\na{} x\n');
    const told: (string | undefined)[] = [];
    for (const name of ['two', 'om']) {
      for (const errorMessage of examples) {
        const server = await serve((_, __, response) => {
          response.write(
            JSON.stringify({
              rejected: [{ reason: 'invalid', count: 1, example: errorMessage }],
              ...(name === 'two' ? { partialSuccess: { rejectedSpans: '1', errorMessage } } : {}),
            }),
          );
        });
        const state = begin(name, server.url);
        await run(state);
        told.push(Object.values(state.rejected)[0]?.example);
      }
    }
    expect(told).toEqual([
      `line 3: ${examples[0]}`,
      'lines 1 to 3: a span is too old',
      'line 2: bad',
      `lines 1 to 3: ${examples[0]}`,
      'lines 1 to 3: a span is too old',
      'line 2: bad',
    ]);
  });

  test('a file of no known format is told, and the others are imported', async () => {
    writeFileSync(path('empty'), '');
    writeFileSync(path('some'), `${line('streams', 1)}\n`);
    const server = await serve((_, __, response) => {
      response.statusCode = 204;
    });
    const progress: number[] = [];
    const state = { ...begin('some', server.url), files: describeFiles([path('empty'), path('some')]) };
    await runImport(state, {
      stateFile: path('state'),
      parallel: 1,
      version: '1',
      signal: new AbortController().signal,
      onProgress: ({ sentBytes }) => progress.push(sentBytes),
    });
    expect(server.taken).toHaveLength(1);
    expect(state.skipped).toEqual([`${path('empty')} is empty`]);
    expect(progress.at(-1)).toBe(server.taken[0]?.length);
    const alone = { ...begin('empty', server.url) };
    rmSync(path('state'));
    await expect(run(alone)).rejects.toThrow(ContentError);
    expect(existsSync(path('state'))).toBe(false);
  });

  test('no state is left where nothing was sent', async () => {
    writeFileSync(path('broken'), '{"apiVersion":"v1","items":[{"kind":');
    await expect(run(begin('broken', 'http://127.0.0.1:9'))).rejects.toThrow(ContentError);
    expect(existsSync(path('state'))).toBe(false);
  });

  test('a body that is refused for one of its lines is sent line by line, and the bad one is told', async () => {
    writeFileSync(path('some'), [1, 2, 3].map((id) => `${line('resourceSpans', id)}\n`).join(''));
    const server = await serve((body, _, response) => {
      response.statusCode = body.includes('"id":2') ? 400 : 200;
    });
    const state = begin('some', server.url);
    await run(state);
    expect(server.taken).toEqual([line('resourceSpans', 1), line('resourceSpans', 3)]);
    expect(state.rejected).toEqual({ invalid: { count: 1, example: expect.stringMatching(/^line 2: .*bad thing/) } });
  });
});
