import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { systemClock } from '../base/index.ts';
import { askPast, type Past, planHistory } from './past.ts';

const NOW = Date.parse('2026-03-04T12:00:00.500Z');
const at = (time: string) => Date.parse(`2026-03-04T${time}Z`);
const HOUR = 3_600_000;
const nothing: Past = { reachMs: undefined, foundedMs: undefined, rolloutsMs: [] };

test.each<[what: string, past: Past, historyMs: number, from: number, founded: number, rollouts: number[]]>([
  ['nothing is there', nothing, HOUR, NOW - HOUR, at('11:00:00'), [at('11:20:00')]],
  ['nothing is there, and little is asked for', nothing, HOUR / 6, NOW - HOUR / 6, at('11:19:00'), [at('11:20:00')]],
  [
    'stopped a moment ago',
    { reachMs: at('11:59:10.250'), foundedMs: at('11:00:00'), rolloutsMs: [at('11:20:00')] },
    HOUR, at('11:59:10.251'), at('11:00:00'), [at('11:20:00')],
  ],
  [
    'stopped before the last release would have been',
    { reachMs: at('11:10:00'), foundedMs: at('09:00:00'), rolloutsMs: [at('09:20:00')] },
    HOUR, at('11:10:00.001'), at('09:00:00'), [at('09:20:00'), at('11:20:00')],
  ],
  [
    'stopped yesterday',
    { reachMs: undefined, foundedMs: at('09:00:00') - 24 * HOUR, rolloutsMs: [at('09:20:00') - 24 * HOUR] },
    HOUR, NOW - HOUR, at('09:00:00') - 24 * HOUR, [at('09:20:00') - 24 * HOUR, at('11:20:00')],
  ],
  [
    'the data is ahead of the clock',
    { reachMs: NOW + 5000, foundedMs: at('11:00:00'), rolloutsMs: [] },
    HOUR, NOW + 1, at('11:00:00'), [],
  ],
])('when %s', (_, past, historyMs, fromMs, foundedMs, rolloutsMs) => {
  expect(planHistory(past, NOW, historyMs)).toEqual({ fromMs, foundedMs, rolloutsMs });
}); // biome-ignore format: a table

async function answering<T>(
  answer: (query: string) => { status: number; body: object },
  use: (url: string) => Promise<T>,
) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { status, body } =
      pathname === '/readyz' ? { status: 200, body: {} } : answer(searchParams.get('query') ?? '');
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    return await use(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
  } finally {
    server.close();
  }
}

const ask = (trifocal: string) =>
  askPast({
    trifocal,
    clusters: ['a', 'b'],
    marks: { cluster: 'a', node: 'gpu-1', deployment: 'rag-api' },
    historyMs: HOUR,
    clock: systemClock,
    signal: new AbortController().signal,
  });

test('a receiver that is busy is asked again, one that refuses is not', async () => {
  let calls = 0;
  const busy = () => (calls++ === 0 ? { status: 503, body: {} } : { status: 200, body: { data: { result: [] } } });
  expect(await answering(busy, ask)).toEqual(nothing);
  let refusals = 0;
  const refusing = () => {
    refusals++;
    return { status: 400, body: { error: 'no such function' } };
  };
  await expect(answering(refusing, ask)).rejects.toThrow(/400.*no such function/);
  expect(refusals).toBe(1);
});
