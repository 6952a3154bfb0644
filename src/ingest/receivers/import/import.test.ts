import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/index.ts';
import { defaultAcceptedTimes } from '../../pipeline/index.ts';
import { collect, describeReceiver, gzipBomb, LIMIT, nowMs, openHttp, sampleLines } from '../contract.ts';
import type { ReceiverOptions } from '../options.ts';
import { DecodeError } from '../wire/index.ts';
import { importer } from './index.ts';
import { decodeObjects } from './objects.ts';
import { createTextDecoder } from './text.ts';

const OPENMETRICS = { 'content-type': 'application/openmetrics-text; version=1.0.0' };
const TEXT = { 'content-type': 'application/prometheus-text' };
const JSON_TYPE = { 'content-type': 'application/json' };
const openMetrics = (options: ReceiverOptions) => openHttp(importer, options, '/api/import/metrics', OPENMETRICS);
const openObjects = (options: ReceiverOptions) => openHttp(importer, options, '/api/import/objects', JSON_TYPE);
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

const pod = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '7', managedFields: [{ manager: 'x' }] },
  ...more,
});

describeReceiver('import of OpenMetrics', {
  open: openMetrics,
  good: {
    body: Buffer.from(
      `# TYPE a counter\na_total{x="1"} 5 ${nowMs / 1000 - 1}.5\na_total{x="1"} 6 ${nowMs / 1000}\n# EOF\n`,
    ),
    code: 200,
    arrives: (batches) => {
      expect(sampleLines(batches)).toEqual([`a_total{x="1"} 5 @${nowMs - 500}`, `a_total{x="1"} 6 @${nowMs}`]);
      expect(batches[0]?.metadata).toEqual([{ family: 'a', type: 'counter', help: '', unit: '' }]);
    },
  },
  malformed: [
    { title: 'a bad line', body: Buffer.from('a{ 5 1\n'), code: 200, text: /"accepted":0.*line 1/ },
    { title: 'no time', body: Buffer.from('a 5\n'), code: 200, text: /a has no time, which an import needs/ },
  ],
  tooLarge: [
    { title: 'as sent', body: Buffer.alloc(LIMIT + 1, 'a'), code: 413 },
    { title: 'after gunzip', body: gzipBomb(), headers: { ...OPENMETRICS, 'content-encoding': 'gzip' }, code: 413 },
  ],
  simpleTypes: { code: 415 },
  busy: { code: 503, retries: true },
});

describeReceiver('import of Kubernetes objects', {
  open: openObjects,
  good: {
    body: json({ at: nowMs / 1000 - 60, objects: [pod('a')] }),
    code: 200,
    arrives: (batches) => {
      const [version] = batches.flatMap((batch) => batch.objects ?? []);
      expect(version).toMatchObject({
        kind: 'Pod',
        apiVersion: 'v1',
        name: 'a',
        namespace: 'ns',
        uid: 'uid-a',
        resourceVersion: '7',
      });
      expect(version).toMatchObject({ validFromMs: nowMs - 60_000, deleted: false });
      expect(version?.body).not.toContain('managedFields');
    },
  },
  malformed: [
    { title: 'no JSON', body: Buffer.from('{'), code: 400, text: /malformed JSON at line 1, column 2/ },
    { title: 'no objects', body: json({}), code: 400, text: /expected \{.+at.+: TIME, .+objects/ },
    { title: 'a bad time', body: json({ at: 'yesterday', objects: [] }), code: 400, text: /yesterday.+ is not a time/ },
    {
      title: 'an object without uid',
      body: json({ objects: [{ kind: 'Pod' }] }),
      code: 200,
      text: /Pod has no name or uid/,
    },
  ],
  tooLarge: [{ title: 'as sent', body: Buffer.alloc(LIMIT + 1, 'a'), code: 413 }],
  simpleTypes: { code: 415 },
  busy: { code: 503, retries: true },
});

describe('imports', () => {
  it('a part of a page needs no end mark, and a bad line costs none of its neighbours', async () => {
    const ingest = collect();
    const door = await openMetrics({
      sink: ingest.sink,
      clock: ingest.clock,
      logger: silentLogger,
    });
    const { text } = await door.send(Buffer.from(`a 1 ${nowMs / 1000}\nb{ 1 1\nc 3 ${nowMs / 1000}\n`));
    expect(JSON.parse(text)).toMatchObject({
      accepted: 2,
      rejected: [{ reason: 'invalid', count: 1, example: expect.stringMatching(/line 2/) }],
    });
    expect(sampleLines(ingest.batches)).toEqual([`a 1 @${nowMs}`, `c 3 @${nowMs}`]);
    const old = await door.send(Buffer.from(`d 1 1000\nd 2 ${nowMs / 1000}\n`));
    expect(JSON.parse(old.text)).toMatchObject({
      accepted: 1,
      rejected: [{ reason: 'too_old', count: 1, example: expect.stringMatching(/too old/) }],
    });
    expect((await door.send(Buffer.from(`e 2 ${nowMs}\n`), TEXT)).text).toContain('"accepted":1');
    await door.close();
  });

  it.each([
    ['one series after the other', ['a{x="1"} 1 1', 'a{x="1"} 2 2', 'a{x="1"} 3 3', 'a{x="2"} 4 4'], 2],
    ['in turn', ['a{x="1"} 1 1', 'a{x="2"} 2 1', 'a{x="1"} 3 2', 'a{x="2"} 4 2'], 2],
    ['with beginnings of each other', ['a 1 1', 'ab 2 1', 'a{x="1"} 3 1', 'a 4 2'], 3],
    [
      'after refused ones',
      ['a 1 1', 'b nonsense 2', 'b 3 3', 'c 1', 'c 5 5', 'd{x="1",x="2"} 1 1', 'd{x="1",x="2"} 2 2'],
      3,
    ],
    [
      'that another type spells otherwise',
      ['h{le="1"} 1 1', '# TYPE h histogram', 'h{le="1"} 2 2', 'h{le="1"} 3 3', 'h{le="1.0"} 4 4'],
      2,
    ],
  ])('samples find their series: %s', async (_, lines, series) => {
    const decode = createTextDecoder();
    // Each page alone, with what an earlier one left, and in the other format, where blanks part names and labels.
    const whole = await decode(Buffer.from(lines.join('\n')), 'openmetrics');
    expect(new Set(whole.samples.series.map((one) => one.labels.join(','))).size).toBe(series);
    const ofWhole = sampleLines([{ samples: whole.samples }]);
    const alone: string[] = [];
    const types = lines.filter((line) => line.startsWith('#'));
    for (const [i, line] of lines.entries()) {
      const context = types.filter((type) => lines.indexOf(type) < i);
      const { samples } = await createTextDecoder()(Buffer.from([...context, line].join('\n')), 'openmetrics');
      alone.push(...sampleLines([{ samples }]));
    }
    expect(ofWhole).toEqual(alone);
    const again = await decode(Buffer.from(lines.join('\n')), 'openmetrics');
    expect(sampleLines([{ samples: again.samples }])).toEqual(ofWhole);
    const spaced = lines.map((line) => (line.startsWith('#') ? line : line.replace('{', ' {')));
    const inText = await createTextDecoder()(Buffer.from(spaced.join('\n')), 'text');
    expect(sampleLines([{ samples: inText.samples }]).map((line) => line.replace(/ @.*/, ''))).toEqual(
      ofWhole.map((line) => line.replace(/ @.*/, '')),
    );
  });

  it('secrets and other kinds that no watch reads are refused, their names alone are said', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', uid: 'u' },
      data: { password: 'aHVudGVyMg==' },
    };
    const { versions, invalid } = await readAll(json({ objects: [secret, pod('a'), secret] }));
    expect(versions.map(({ name, cluster }) => `${cluster}/${name}`)).toEqual(['c/a']);
    expect(invalid).toEqual([
      { signal: 'objects', reason: 'invalid', count: 2, example: 'Secret s is of a kind that is not kept' },
    ]);
  });

  it.each([
    ['now-8d', 'too_old', 1],
    ['now+1h', 'too_new', 1],
    ['0001-01-01T00:00:00Z', 'too_old', 1],
    [1e300, 'too_new', 1],
    ['now-6d', undefined, 0],
  ])('objects as of %s are judged as other signals are: %s', async (at, reason, refused) => {
    const { versions, invalid } = await readAll(json({ objects: [pod('a')], at }));
    expect(versions).toHaveLength(1 - refused);
    expect(invalid[0]?.reason).toBe(reason);
  });

  it('large dumps come part by part, others get their turns, and one that cannot be read costs no neighbour', async () => {
    const ingest = collect();
    const door = await importer.open({ ...ingest, logger: silentLogger });
    const big = (name: string, bytes: number) => pod(name, { spec: { note: 'x'.repeat(bytes) } });
    const objects = Array.from({ length: 400 }, (_, i) => JSON.stringify(big(`p${i}`, 10_000)));
    objects.splice(100, 0, '{"kind": Pod}', JSON.stringify(big('giant', 5 * 1024 * 1024)), '"Pod"');
    const mark = { hash: new Uint8Array(16), atMs: nowMs };
    let turns = 0;
    const count = () => {
      turns++;
      tick = setImmediate(count);
    };
    let tick = setImmediate(count);
    const { body } = (await door.get('import/objects')?.({
      headers: JSON_TYPE,
      body: Buffer.from(`{"objects": [${objects}], "at": ${nowMs / 1000 - 60}}`),
      sender: 's',
      door: 'import/objects',
      mark,
    })) ?? { body: new Uint8Array() };
    clearImmediate(tick);
    expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({
      accepted: 400,
      rejected: [
        { count: 1, example: 'an object is no JSON' },
        { count: 1, example: 'an object has more than 4194304 bytes' },
        { count: 1, example: 'an object has no name or uid' },
      ],
    });
    expect(ingest.batches.flatMap((batch) => batch.objects?.map(({ name }) => name))).toEqual(
      Array.from({ length: 400 }, (_, i) => `p${i}`),
    );
    expect(ingest.batches.length).toBeGreaterThan(5);
    expect(turns).toBeGreaterThan(2);
  });

  it('any bytes give samples or counted lines, and end', async () => {
    const decode = createTextDecoder();
    const line = fc.oneof(
      fc.constant('a{b="c"} 1 2'),
      fc.constant('# TYPE a counter'),
      fc.constant('# EOF'),
      fc.string(),
      fc.constant(''),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        fc.constantFrom('openmetrics' as const, 'text' as const),
        async (lines, format) => {
          const { count, samples } = await decode(Buffer.from(lines.join('\n')), format);
          expect(samples.values.length).toBe(count);
        },
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json().map((text) => Buffer.from(text)),
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
          fc.array(fc.anything()).map((objects) => json({ objects })),
          fc.array(fc.string()).map((objects) => Buffer.from(`{"objects": [${objects}]}`)),
        ),
        async (body) => {
          try {
            await readAll(body);
          } catch (error) {
            if (!(error instanceof DecodeError)) throw error;
          }
        },
      ),
    );
  });
});

it('objects behind a byte order mark are the same', async () => {
  const body = json({ at: nowMs / 1000, objects: [pod('a'), pod('b')] });
  const { versions } = await readAll(body);
  expect(versions).toHaveLength(2);
  expect((await readAll(Buffer.concat([Buffer.from('\ufeff'), body]))).versions).toEqual(versions);
});

async function readAll(body: Buffer) {
  const { parts, invalid } = await decodeObjects(body, { nowMs, accept: defaultAcceptedTimes, cluster: 'c' });
  const versions = [];
  for await (const part of parts) versions.push(...part);
  return { versions, invalid: invalid() };
}
