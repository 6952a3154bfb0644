import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/index.ts';
import { type Attributes, type LogRecord, nowhere } from '../../model/index.ts';
import { createPipeline, createRedactor } from './index.ts';
import { createCardinalityLimiter } from './limit-cardinality.ts';
import { defaultCardinalityLimits } from './limits.ts';

const nowMs = 1_760_000_000_000;
const resource: Attributes = new Map([['app', 'api']]);

function record(body: string, parts: Partial<LogRecord> = {}): LogRecord {
  return {
    timeNs: BigInt(nowMs) * 1_000_000n, observedNs: 0n, severity: 0, severityText: '', body, resource, attributes: new Map(),
    scope: { name: '', version: '', attributes: new Map() }, traceId: '', spanId: '', flags: 0, place: nowhere, ...parts,
  }; // biome-ignore format: a record
}

async function run(records: LogRecord[], line = 262_144) {
  const clock = { ...systemClock, now: () => nowMs };
  const pipeline = createPipeline({
    clock,
    accept: { pastMs: 1000, futureMs: 1000 },
    redactor: createRedactor(),
    limiter: createCardinalityLimiter(defaultCardinalityLimits, clock),
    lines: { line },
  });
  const { batch, rejected, changed } = await pipeline.run({ logs: records }, { protocol: 'loki' });
  return { bodies: (batch.logs ?? []).map(({ body }) => body), logs: batch.logs ?? [], rejected, changed };
}

describe('the way of log lines', () => {
  it('one that cannot be processed is counted and costs its neighbours nothing', async () => {
    const broken = { ...record('bad'), get severityText(): string { throw new Error('no such text'); } }; // biome-ignore format: a record
    const { bodies, rejected } = await run([record('one'), broken, record('two')]);
    expect(bodies).toEqual(['one', 'two']);
    const example = expect.stringContaining('no such text');
    expect(rejected).toEqual([{ signal: 'logs', reason: 'invalid', count: 1, example }]);
  });

  it('an object that is nested deep is a line like others', async () => {
    const deep = `{"apiVersion":1,"a":${'['.repeat(2_500)}${']'.repeat(2_500)},"password":"hunter2"}`;
    expect((await run([record('one'), record(deep)])).bodies).toEqual([
      'one',
      deep.replace('hunter2', '[redacted:password]'),
    ]);
  });

  it('keeps every byte of a line that holds no secret', async () => {
    // Without the characters by which secrets, traces and container lines are known.
    const line = fc
      .string({ unit: 'binary', maxLength: 60 })
      .filter((text) => !/[:=@{]|^\s|^[12]|^[pfg]|[a-z]{4}/i.test(text));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
        expect((await run(lines.map((text) => record(text)))).bodies).toEqual(lines);
      }),
      { numRuns: 300 },
    );
  });

  it('changes nothing but the secret', async () => {
    const around = fc.string({
      unit: fc.constantFrom('a', ' ', '.', '\x1b[31m', '\0', '\r', 'é', '🙂', '\t'),
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(around, around, async (before, after) => {
        const [body] = (await run([record(`x${before} password=hunter22 ${after}`)])).bodies;
        expect(body).toBe(`x${before} password=[redacted:password] ${after}`);
      }),
    );
  });

  it('a secret across the place where a long line is cut does not stay in part', async () => {
    const token = `eyJhbGciOiJIUzI1NiJ9.${'QUJD'.repeat(30)}.${'c2ln'.repeat(10)}`;
    for (let before = 60; before < 100; before += 7) {
      const { bodies, changed } = await run([record(`${' '.repeat(before)}${token} ${'z'.repeat(100_000)}`)], 100);
      expect(bodies.join('')).not.toContain('eyJ');
      expect(bodies.join('')).toMatch(/…\[cut: \d+ bytes\]$/);
      expect(changed).toMatchObject([{ reason: 'oversize', signal: 'logs', count: 1 }]);
    }
  });

  it('counts what it cuts and refuses what is too old, each on its own', async () => {
    const { bodies, rejected, changed } = await run(
      [record('x'.repeat(30)), record('short'), record('y'.repeat(30)), record('old', { timeNs: 0n })],
      10,
    );
    expect(bodies).toEqual([`${'x'.repeat(10)}…[cut: 20 bytes]`, 'short', `${'y'.repeat(10)}…[cut: 20 bytes]`]);
    expect(changed).toMatchObject([
      { reason: 'oversize', count: 2, example: `a line of stream '{app="api"}' was cut to 10 bytes` },
    ]);
    expect(rejected).toMatchObject([{ reason: 'too_old', count: 1 }]);
  });

  it('what a line states is found after redaction and joining', async () => {
    const lines = [
      'java.lang.IllegalStateException: token=abcdefghijklmnop1234',
      '\tat a.B.c(B.java:1)',
      'INFO request_id=req-1',
    ];
    const { logs } = await run(lines.map((text) => record(text)));
    expect(logs).toMatchObject([
      { severity: 17, body: 'java.lang.IllegalStateException: token=[redacted:api-key]\n\tat a.B.c(B.java:1)' },
      { severity: 9, attributes: new Map([['request_id', 'req-1']]), place: { service: 'api' } },
    ]);
  });

  it('any records go through', async () => {
    const attributes = fc.dictionary(
      fc.constantFrom('kubernetes', 'trace_id', 'logtag', 'level', 'path', 'x-request-id', 'stream', 'a'),
      fc.oneof(fc.string(), fc.bigInt(), fc.constant(null), fc.array(fc.string())),
    );
    const body = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '{"kubernetes":{"labels":[1],"ownerReferences":[null]}}',
        '{"kubernetes":',
        '{"file":"/var/log/pods/x"}',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(body, attributes)), async (items) => {
        const { logs } = await run(
          items.map(([text, more]) => record(text, { attributes: new Map(Object.entries(more)) })),
        );
        expect(logs.length).toBeLessThanOrEqual(items.length);
      }),
      { numRuns: 300 },
    );
  });
});
