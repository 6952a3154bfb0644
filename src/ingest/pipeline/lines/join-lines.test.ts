import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attributes, LogRecord } from '../../../model/index.ts';
import { nowhere } from '../../../model/index.ts';
import { createLineJoiner } from './join-lines.ts';

const pod: Attributes = new Map([['pod', 'api-0']]);
const otherPod: Attributes = new Map([['pod', 'api-1']]);

function record(body: string, parts: Partial<LogRecord> = {}): LogRecord {
  return {
    timeNs: 0n, observedNs: 0n, severity: 0, severityText: '', body, resource: pod, attributes: new Map(),
    scope: { name: '', version: '' }, traceId: '', spanId: '', flags: 0, place: nowhere, ...parts,
  }; // biome-ignore format: a record
}

function join(records: readonly LogRecord[], maxBytes = 262_144): LogRecord[] {
  const joiner = createLineJoiner(maxBytes);
  for (const item of records) joiner.add(item);
  return joiner.end();
}

const bodies = (records: readonly LogRecord[]) => records.map(({ body }) => body);

/** `traces` are what must come out whole, each given with its lines; all others stay as they are. */
const TRACES: Record<string, string> = {
  python: `Traceback (most recent call last):
  File "/app/main.py", line 12, in <module>
    run()
    ~~~^^
  File "/app/run.py", line 3, in run
    raise ValueError("boom")
ValueError: boom`,
  'python, chained': `Traceback (most recent call last):
  File "a.py", line 1, in <module>
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 3, in <module>
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.`,
  'python, CUDA': `Traceback (most recent call last):
  File "a.py", line 1, in <module>
torch.AcceleratorError: CUDA error: an illegal memory access was encountered
CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with \`TORCH_USE_CUDA_DSA\` to enable device-side assertions.`,
  'python, exception group': `  + Exception Group Traceback (most recent call last):
  |   File "a.py", line 1, in <module>
  | ExceptionGroup: two (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: 1
    +------------------------------------`,
  'python, coloured': `Traceback (most recent call last):
  File \x1b[35m"a.py"\x1b[0m, line \x1b[35m1\x1b[0m, in \x1b[35m<module>\x1b[0m
\x1b[1;35mZeroDivisionError\x1b[0m: \x1b[35mdivision by zero\x1b[0m`,
  'vLLM, each line with its logger’s head': `(EngineCore pid=42) ERROR 12-01 14:46:59 [core.py:708] EngineCore encountered a fatal error.
(EngineCore pid=42) ERROR 12-01 14:46:59 [core.py:708] Traceback (most recent call last):
(EngineCore pid=42) ERROR 12-01 14:46:59 [core.py:708]   File "core.py", line 1, in run
(EngineCore pid=42) ERROR 12-01 14:46:59 [core.py:708] torch.OutOfMemoryError: CUDA out of memory.`,
  'vLLM, each line with its process': `(EngineCore pid=42) Traceback (most recent call last):
(EngineCore pid=42)   File "core.py", line 1, in run
(EngineCore pid=42) RuntimeError: Engine core initialization failed. See root cause above.`,
  java: `java.lang.IllegalStateException: cannot start
\tat com.example.App.run(App.java:12)
\tat com.example.App.main(App.java:5)
\tSuppressed: java.io.IOException: close
\t\tat com.example.Res.close(Res.java:9)
Caused by: java.sql.SQLException: refused
\tat com.example.Db.open(Db.java:88)
\t... 2 more`,
  'java, behind a logger’s head': `2026-12-01 14:46:59,123 ERROR [main] c.e.App - failed: java.lang.RuntimeException: x
\tat com.example.App.run(App.java:12)`,
  node: `Error: boom
    at main (/app/index.js:10:9)
    at async Promise.all (index 0)
    at node:internal/main/run_main_module:28:49 {
  code: 'E_BOOM',
  [cause]: TypeError: x is not a function
      at inner (/app/inner.js:1:2)
}`,
  'node, uncaught': `/app/index.js:10
    throw new Error('boom');
    ^

Error: boom
    at Object.<anonymous> (/app/index.js:10:9)
    at node:internal/main/run_main_module:28:49

Node.js v20.20.2`,
  '.NET': `System.InvalidOperationException: x
   at App.Run() in /src/App.cs:line 7
   at App.Main()`,
  go: `panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x47b2c0]

goroutine 1 [running]:
main.(*Server).run(0xc0000b4000, {0x1, 0x2})
\t/app/main.go:10 +0x1d
created by main.main in goroutine 1
\t/app/main.go:5 +0x25

goroutine 18 [select]:
net/http.(*persistConn).writeLoop(0xc000184000)
\t/usr/local/go/src/net/http/transport.go:2458 +0xf0
exit status 2`,
  'go, recovered by net/http': `2026/12/01 14:46:59 http: panic serving 10.0.0.1:4242: boom
goroutine 7 [running]:
net/http.(*conn).serve.func1()
\t/usr/local/go/src/net/http/server.go:1900 +0xbe
panic({0x6b1ee0?, 0x7a5b90?})
\t/usr/local/go/src/runtime/panic.go:770 +0x132`,
};

describe('stack traces', () => {
  it.each(Object.entries(TRACES))('%s: kept together, its neighbours apart', (_title, trace) => {
    const lines = ['INFO before', ...trace.split('\n'), 'INFO after', 'INFO later'];
    expect(bodies(join(lines.map((line) => record(line))))).toEqual(['INFO before', trace, 'INFO after', 'INFO later']);
  });

  it.each(Object.entries(TRACES))(
    '%s: with carriage returns, and with line feeds kept by the shipper',
    (_title, trace) => {
      const withReturns = trace.split('\n').map((line) => `${line}\r`);
      expect(bodies(join(withReturns.map((line) => record(line))))).toEqual([withReturns.join('\n')]);
      const withFeeds = trace.split('\n').map((line) => `${line}\n`);
      expect(bodies(join(withFeeds.map((line) => record(line))))).toEqual([withFeeds.join('')]);
    },
  );

  it('two traces in a row stay two', () => {
    const { python = '', java = '' } = TRACES;
    for (const [a, b] of [
      [python, python],
      [python, java],
      [java, java],
      [java, python],
    ] as const) {
      const lines = [...a.split('\n'), ...b.split('\n')];
      expect(bodies(join(lines.map((line) => record(line))))).toEqual([a, b]);
    }
  });

  it('two processes that write into each other are told apart by what stands before their lines', () => {
    const of = (pid: number) =>
      (TRACES['vLLM, each line with its process'] ?? '').replaceAll('42', `${pid}`).split('\n');
    const [a, b] = [of(1), of(2)];
    const mixed = a.flatMap((line, i) => [line, b[i] ?? '']);
    expect(bodies(join(mixed.map((line) => record(line))))).toEqual([a.join('\n'), b.join('\n')]);
  });

  it.each<[string, Partial<LogRecord>]>([
    ['another stream', { resource: otherPod }],
    ['more than a second later', { timeNs: 1_000_000_001n }],
    ['earlier by more than a second', { timeNs: -1_000_000_001n }],
    ['other attributes', { attributes: new Map([['thread', 'b']]) }],
    ['another trace', { traceId: 'ab'.repeat(16) }],
    ['the other of stdout and stderr', { attributes: new Map([['log.iostream', 'stderr']]) }],
  ])('nothing is joined across: %s', (_title, parts) => {
    const lines = [record('Traceback (most recent call last):'), record('  File "a.py", line 1, in f', parts)];
    expect(bodies(join(lines))).toHaveLength(2);
  });

  it('ordinary lines are never joined', () => {
    const lines = [
      'INFO a', '  indented', '    at the beginning of a sentence', '', 'Exception handling is on', '{"error":"x"}', 'done', '    at',
    ]; // biome-ignore format: lines
    expect(bodies(join(lines.map((line) => record(line))))).toEqual(lines);
  });

  it('takes the place, the time and the attributes of its first line', () => {
    const lines = (TRACES.python ?? '').split('\n').map((line, i) => record(line, { timeNs: BigInt(i) * 1000n }));
    expect(join(lines)).toMatchObject([{ timeNs: 0n, resource: pod }]);
  });

  it('is bounded in lines and bytes, and loses none', () => {
    const frames = Array.from({ length: 5000 }, (_, i) => `\tat com.example.Deep.recurse(Deep.java:${i})`);
    const out = join(['java.lang.StackOverflowError', ...frames].map((line) => record(line)));
    expect(bodies(out).join('\n')).toBe(['java.lang.StackOverflowError', ...frames].join('\n'));
    for (const { body } of out) expect(body.split('\n').length).toBeLessThanOrEqual(1000);
    for (const { body } of join(
      out.flatMap(({ body }) => body.split('\n').map((l) => record(l))),
      2000,
    )) {
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2000);
    }
  });
});

const time = '2026-12-01T14:46:59.123456789Z';

describe('lines as container runtimes write them', () => {
  it('CRI: the header goes into time and attributes, pieces become one line', () => {
    const lines = [
      `${time} stdout P first half, `,
      `${time} stderr F in between`,
      '2026-12-01T14:47:00.5+01:00 stdout P second half',
      `${time} stdout F , end `,
      `${time} stdout F `,
    ];
    const out = join(lines.map((line) => record(line)));
    const stdout = new Map([['log.iostream', 'stdout']]);
    expect(out).toMatchObject([
      { body: 'in between', attributes: new Map([['log.iostream', 'stderr']]) },
      { body: 'first half, second half, end ', attributes: stdout, timeNs: 1_796_136_419_123_456_789n },
      { body: '', attributes: stdout },
    ]);
  });

  it('Docker: the text inside, joined until its line feed', () => {
    const line = (log: string) => record(JSON.stringify({ log, stream: 'stdout', time }));
    expect(bodies(join([line('one\n'), line('two, '), line('three\n'), line('\n')]))).toEqual([
      'one',
      'two, three',
      '',
    ]);
  });

  it('a stack trace inside of them is kept together', () => {
    const lines = (TRACES.java ?? '').split('\n').map((line) => record(`${time} stderr F ${line}`));
    expect(bodies(join(lines))).toEqual([TRACES.java]);
  });

  it('pieces whose end does not come with the request are stored at once and marked', () => {
    const out = join([record(`${time} stdout P a`), record(`${time} stdout P b`)]);
    expect(out).toMatchObject([
      {
        body: 'ab',
        attributes: new Map<string, unknown>([
          ['log.iostream', 'stdout'],
          ['log.partial', true],
        ]),
      },
    ]);
  });

  it.each([
    ['logtag', 'P', 'F'],
    ['_partial', true, false],
  ])('pieces that a shipper parsed and marked by %s are joined', (name, piece, end) => {
    const line = (body: string, value: string | boolean) => record(body, { attributes: new Map([[name, value]]) });
    expect(bodies(join([line('a', piece), line('b', piece), line('c', end)]))).toEqual(['abc']);
  });

  it.each([
    '2026-12-01T14:46:59Z INFO stdout F x',
    '2026-12-01T14:46:59Z stdout X x',
    '2026-13-45T14:46:59Z stdout F x',
    '{"log":"x\\n","stream":"stdout","time":"yesterday"}',
    '{"log":"x\\n","stream":"stdout","time":"2026-12-01T14:46:59Z","level":"info"}',
    '{"log":"x","stream":"stdout"',
  ])('what only looks like one stays as it is: %s', (line) => {
    expect(bodies(join([record(line)]))).toEqual([line]);
  });
});

describe('any lines', () => {
  const piece = fc.oneof(
    fc.constantFrom(...Object.values(TRACES).flatMap((trace) => trace.split('\n'))),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('', ' ', 'INFO x', '}', 'panic: ', 'goroutine 1 [', '\tat a.b(c)'),
  );
  const lines = fc.array(
    fc.record({ body: piece, stream: fc.boolean(), step: fc.constantFrom(0n, 1n, 2_000_000_000n) }),
    { maxLength: 60 },
  );

  it('come out without a byte lost or added, each stream in its order', () => {
    fc.assert(
      fc.property(lines, (input) => {
        let timeNs = 0n;
        const records = input.map(({ body, stream, step }) => {
          timeNs += step;
          return record(body, { timeNs, resource: stream ? pod : otherPod });
        });
        const out = join(records);
        for (const resource of [pod, otherPod]) {
          const text = (all: readonly LogRecord[]) =>
            all
              .filter((r) => r.resource === resource)
              .map(({ body }) => (body.endsWith('\n') ? body : `${body}\n`))
              .sort()
              .join('');
          const characters = (all: readonly LogRecord[]) => [...text(all)].sort().join('');
          expect(characters(out)).toBe(characters(records));
        }
        // With one writer a stream's order is kept as well.
        if (input.every(({ body }) => !body.includes('pid='))) {
          const plain = (all: readonly LogRecord[]) =>
            all
              .filter((r) => r.resource === pod)
              .map(({ body }) => body.replace(/\n$/, ''))
              .join('\n');
          expect(plain(out)).toBe(plain(records));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('pieces of container lines come out whole', () => {
    const parts = fc.array(
      fc.record({ text: fc.string({ maxLength: 20 }).filter((t) => !/[\n\r]/.test(t)), partial: fc.boolean() }),
    );
    fc.assert(
      fc.property(parts, (input) => {
        const out = join(input.map(({ text, partial }) => record(`${time} stdout ${partial ? 'P' : 'F'} ${text}`)));
        expect(bodies(out).join('').replaceAll('\n', '')).toBe(input.map(({ text }) => text).join(''));
      }),
    );
  });
});
