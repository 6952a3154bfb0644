import { expect, it } from 'vitest';
import { manualClock, silentLogger } from '../../../base/index.ts';
import { openDoors } from '../../doors/index.ts';
import { createIngest } from '../../ingest.ts';
import type { RequestMark } from '../../sink.ts';
import { nowMs, nowNs, sampleLines } from '../contract.ts';
import { otlp } from './index.ts';
import { exportRequest, numberPoint, sum } from './testdata.ts';

/** A process that took in `requests` before. */
function start(requests: RequestMark[]) {
  const clock = manualClock(nowMs);
  const lines: string[] = [];
  const marks: RequestMark[] = [];
  const ingest = createIngest({
    clock,
    logger: silentLogger,
    spool: {
      async append(batch, mark) {
        lines.push(...sampleLines([batch]).filter((line) => line.startsWith('hits_total')));
        if (mark !== undefined) marks.push(mark);
      },
    },
    takenIn: { requests },
  });
  const { sink, repetitions } = ingest;
  const service = openDoors([otlp], { sink, clock, logger: silentLogger, repetitions });
  return {
    lines,
    marks,
    send: (body: Buffer) =>
      service.handle({
        door: 'otlp-http/metrics',
        headers: { 'content-type': 'application/x-protobuf' },
        body,
        sender: 'sdk',
      }),
  };
}

const deltas = (second: number, value: bigint) =>
  exportRequest({}, [sum('hits', '', 1, true, numberPoint(nowNs + BigInt(second) * 1_000_000_000n, value))]);

it('deltas of a request that is repeated after a restart are in no running total', async () => {
  const before = start([]);
  expect((await before.send(deltas(0, 5n))).status).toBe(200);
  expect(before.lines).toEqual([`hits_total 5 @${nowMs}`]);
  const after = start(before.marks);
  const answer = await after.send(deltas(0, 5n));
  expect([answer.status, answer.body.length]).toEqual([200, 0]);
  expect(after.lines).toEqual([]);
  await after.send(deltas(1, 3n));
  expect(after.lines).toEqual([`hits_total 3 @${nowMs + 1000}`]);
});
