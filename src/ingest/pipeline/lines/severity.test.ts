import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { severityOfLine, severityOfWord } from './severity.ts';

describe('the severity that a line states', () => {
  it.each([
    // vLLM, uvicorn, Python
    ['INFO 12-01 14:46:59 [metrics.py:345] Avg prompt throughput: 12.3 tokens/s', 9],
    ['(EngineCore pid=42) ERROR 12-01 14:46:59 [core.py:708] EngineCore failed to start.', 17],
    ['INFO:     10.0.0.1:4242 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error', 9],
    ['WARNING:root:low memory', 13],
    ['2026-12-01 14:46:59,123 - app.main - CRITICAL - disk full', 21],
    ['[2026-12-01 14:46:59] WARNING in app: slow', 13],
    ['[W 2026-12-01 14:46:59.123 ServerApp] slow', 13],
    // Go
    ['time=2026-12-01T14:46:59.000Z level=ERROR msg="INFO"', 17],
    ['time=2026-12-01T14:46:59.000Z level=ERROR+2 msg=x', 19],
    ['ts=1 level=debug msg="INFO"', 5],
    ['{"level":"dpanic","ts":1,"msg":"x"}', 21],
    ['E1201 14:46:59.123456       1 reflector.go:12] watch failed', 17],
    ['I1201 14:46:59.123456       1 main.go:1] ERROR is only a word here', 9],
    ['2026-12-01T14:46:59Z INF starting addr=:80', 9],
    ['panic: runtime error: index out of range [5]', 21],
    ['panic: boom\n\ngoroutine 1 [running]:', 21],
    // JSON
    ['{"ts":"x","level":"warn","msg":"ERROR budget is fine"}', 13],
    ['{"log":"{\\"level\\":\\"error\\"}"}', 17],
    ['{"level":50,"time":1,"msg":"pino"}', 17],
    ['{"severity":"NOTICE","message":"gcp"}', 10],
    [`{"message":"${'x'.repeat(5000)}","level":"ERROR"}`, 17],
    ['{"t":{"$date":"2026-12-01T14:46:59.123Z"},"s":"W","c":"NETWORK","msg":"mongo"}', 13],
    ['{"log":"E1201 14:46:59.123456       1 a.go:12] x","stream":"stderr"}', 17],
    // others
    ['2026-12-01T14:46:59Z ERROR something', 17],
    ['2026-12-01T14:46:59.123456Z  WARN tokio::task: slow', 13],
    ['[WARNING] low memory', 13],
    ['2026/12/01 14:46:59 [error] 12#12: *1 open() failed', 17],
    ['[2026-12-01 14:46:59.123][12][warning][config] x', 13],
    ['[Tue Dec 01 14:46:59 2026] [core:error] [pid 1] x', 17],
    ['2026-12-01 14:46:59.123 UTC [12] LOG:  checkpoint complete', 9],
    ['2026-12-01 14:46:59.123 UTC [12] FATAL:  no more connections', 21],
    ['fail: Microsoft.AspNetCore.Server[13]', 17],
    ['E, [2026-12-01T14:46:59.123 #1] ERROR -- : ruby', 17],
    ['<34>1 2026-12-01T14:46:59Z host su - ID47 - failed', 21],
    ['<13>Dec  1 14:46:59 host app: hello', 10],
    ['CRITICAL: disk full', 21],
    // colours
    ['\x1b[32mINFO\x1b[0m:     started', 9],
    ['\x1b[2m2026-12-01T14:46:59Z\x1b[0m \x1b[31mERROR\x1b[0m boom', 17],
    // a trace that states none
    ['java.lang.IllegalStateException: x\n\tat a.B.c(B.java:1)', 17],
    ['Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: x', 17],
    ['WARN handled\njava.lang.IllegalStateException: x\n\tat a.B.c(B.java:1)', 13],
    // none
    ['levels: information desk', 0],
    ['no errors found', 0],
    ['first\nsecond', 0],
    ['{"level":{"deep":1}}', 0],
    ['<999>x', 0],
    ['', 0],
  ])('%s is %d', (line, severity) => {
    expect(severityOfLine(line)).toBe(severity);
  });

  it.each([
    ['warn', 13],
    ['Warning', 13],
    ['E', 17],
    ['DEBUG-4', 1],
    ['ERROR+4', 21],
    ['30', 9],
    ['', 0],
    ['loud', 0],
  ])('a sender’s word %s is %d', (word, severity) => {
    expect(severityOfWord(word)).toBe(severity);
  });

  it('is a number of OTLP for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.stringMatching(/^[[<{"= a-zA-Z:]*$/)),
        (line) => {
          const severity = severityOfLine(line);
          expect(Number.isInteger(severity) && severity >= 0 && severity <= 24).toBe(true);
        },
      ),
    );
  });
});
