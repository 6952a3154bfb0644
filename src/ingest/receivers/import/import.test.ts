import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
    { title: 'no JSON', body: Buffer.from('{'), code: 400, text: /not JSON/ },
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
      logger: { debug() {}, info() {}, warn() {}, error() {} },
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

  it('secrets and other kinds that no watch reads are refused, their names alone are said', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', uid: 'u' },
      data: { password: 'aHVudGVyMg==' },
    };
    const { versions, invalid } = decodeObjects(json({ objects: [secret, pod('a'), secret] }), { nowMs, cluster: 'c' });
    expect(versions.map(({ name, cluster }) => `${cluster}/${name}`)).toEqual(['c/a']);
    expect(invalid).toEqual([
      { signal: 'objects', reason: 'invalid', count: 2, example: 'Secret s is of a kind that is not kept' },
    ]);
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
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json().map((text) => Buffer.from(text)),
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
          fc.array(fc.anything()).map((objects) => Buffer.from(JSON.stringify({ objects }))),
        ),
        (body) => {
          try {
            decodeObjects(body, { nowMs, cluster: 'c' });
          } catch (error) {
            if (!(error instanceof DecodeError)) throw error;
          }
        },
      ),
    );
  });
});
