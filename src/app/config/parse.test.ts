import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { parseConfig } from './parse.ts';
import { configSchema } from './schema.ts';

const schema = configSchema(z.array(z.strictObject({ job_name: z.string() })));
const testdata = join(import.meta.dirname, 'testdata');

function check(text: string, overrides: Record<string, string> = {}) {
  const entries = Object.entries(overrides).map(([path, value]) => [path, { value, from: `--${path}` }] as const);
  return parseConfig({ text, file: 'trifocal.yaml', schema, overrides: new Map(entries) });
}

describe('bad files say where, what and what to do', () => {
  for (const file of readdirSync(testdata)) {
    test(file, () => {
      const text = readFileSync(join(testdata, file), 'utf8');
      const [, line, column, message] = /^# expect: (\d+):(\d+): (.*)$/m.exec(text) ?? [];
      const [problem] = check(text).problems;
      expect(problem?.message).toContain(message);
      expect([problem?.line, problem?.column]).toEqual([Number(line), Number(column)]);
    });
  }
});

test('all problems are told at once, each with its place', () => {
  const text = `listen: { http: "0.0.0.0:80", otlpHttp: "x" }
retention: { logs: soon, objects: 1d }
limits: { series: 0 }
redaction:
  patterns:
    - { name: fine, literal: EMP-, pattern: "EMP-[0-9]+" }
    - { name: Bad, literal: E, pattern: "E[" }
    - { name: other, literal: EMP-, pattern: "MGR-[0-9]+" }
`;
  const found = check(text).problems.map(({ line, message }) => `${line} ${message.split(': ')[0]}`);
  expect(found.sort()).toEqual([
    '1 listen.http', '1 listen.otlpHttp', '2 retention.logs', '2 retention.objects', '3 limits.series',
    '7 redaction.patterns[1].literal', '7 redaction.patterns[1].name', '7 redaction.patterns[1].pattern', '8 redaction.patterns[2].literal',
  ]); // biome-ignore format: a list
});

test('an empty file is the defaults', () => {
  const { value } = check('');
  expect(value?.listen.http).toEqual({ host: '127.0.0.1', port: 4319 });
  expect(value?.retention.objects).toBe(90 * 86_400_000);
  expect(value?.ingest.maxBody).toBe(20 * 2 ** 20);
  expect(value?.store.embedded.memory).toBe(2 * 2 ** 30);
});

test('flags and environment win over the file, and are named when wrong', () => {
  expect(check('data: ./a', { data: './b' }).value?.data).toBe('./b');
  expect(check('', { 'limits.series': '5' }).value?.limits.series).toBe(5);
  expect(check('', { 'retention.logs': 'soon' }).problems).toEqual([
    { file: '--retention.logs', message: '"soon" is not a duration; write for example 15s, 10m, 7d, or forever' },
  ]);
});

test('~ in a kubeconfig is the home folder', () => {
  const home = process.env.HOME;
  const folder = mkdtempSync(join(tmpdir(), 'trifocal-home-'));
  onTestFinished(() => {
    if (home === undefined) delete process.env.HOME;
    else process.env.HOME = home;
    rmSync(folder, { recursive: true });
  });
  process.env.HOME = folder;
  const text = 'clusters: [{ name: a, kubernetes: { kubeconfig: ~/config } }]';
  expect(check(text).problems).toMatchObject([
    { line: 1, message: expect.stringContaining(`no file ${folder}/config`) },
  ]);
  writeFileSync(join(folder, 'config'), '');
  expect(check(text).value?.clusters[0]?.kubernetes).toEqual({ kubeconfig: join(folder, 'config') });
});

test('limits, rates and redaction have defaults, and can be set', () => {
  expect(check('').value?.limits.rate).toEqual({
    samples: 'off',
    lines: 'off',
    spans: 'off',
    bytes: 'off',
    burst: 10_000,
  });
  expect(check('').value?.redaction).toEqual({ prompts: 'mask', allow: [], patterns: [] });
  const text =
    'limits: { rate: { lines: 100, bytes: 10MiB, burst: 1m }, line: 64KiB }\nredaction: { prompts: keep, allow: [email] }';
  expect(check(text).value).toMatchObject({
    limits: { rate: { lines: 100, bytes: 10 * 2 ** 20, burst: 60_000 }, line: 65_536 },
    redaction: { prompts: 'keep', allow: ['email'] },
  });
  expect(check('', { 'limits.rate.samples': '5000' }).value?.limits.rate.samples).toBe(5000);
});

test('all problems of a file are reported, not only the first', () => {
  expect(check('listen: { http: x }\nretention: { logs: y }').problems).toHaveLength(2);
});

test('past: any and forever are words of their own', () => {
  const { value } = check('ingest: { accept: { past: any } }\nretention: { metrics: forever }');
  expect(value?.ingest.accept.past).toBe('any');
  expect(value?.retention.metrics).toBe('forever');
});
