import { expect, it } from 'vitest';
import { severityOfLine } from './detect-severity.ts';

it.each([
  ['INFO 12-01 14:46:59 [metrics.py:345] Avg prompt throughput: 12.3 tokens/s', 9],
  ['INFO:     10.0.0.1:4242 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error', 9],
  ['2026-12-01T14:46:59Z ERROR something', 17],
  ['[WARNING] low memory', 13],
  ['{"ts":"x","level":"warn","msg":"ERROR budget is fine"}', 13],
  ['{"log":"{\\"level\\":\\"error\\"}"}', 17],
  ['ts=1 level=debug msg="INFO"', 5],
  ['E1201 14:46:59.123456       1 reflector.go:12] watch failed', 17],
  ['I1201 14:46:59.123456       1 main.go:1] ERROR is only a word here', 9],
  ['CRITICAL: disk full', 21],
  ['levels: information desk', 0],
  ['no errors found', 0],
  ['', 0],
])('%s is %d', (line, severity) => {
  expect(severityOfLine(line)).toBe(severity);
});
