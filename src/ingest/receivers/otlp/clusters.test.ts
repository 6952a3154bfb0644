import { expect, it } from 'vitest';
import { itKeepsClustersApart, openForClusters, storedByCluster } from '../cluster-contract.ts';
import { nowNs } from '../contract.ts';
import { otlp } from './index.ts';
import { exponential, exportRequest, gauge, numberPoint, sum } from './testdata.ts';

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const timeOf = (step: number) => nowNs + BigInt(step >> 1) * 1_000_000_000n;
/** The same series from any host, as the instance is named, but another writer. */
const resource = (host: string) => ({ 'service.name': 'api', 'service.instance.id': 'i', 'host.name': host });
const up = (host: string, step: number) =>
  exportRequest(resource(host), [gauge('up', '', numberPoint(timeOf(step), step))]);

itKeepsClustersApart('one writer', otlp, {
  name: 'otlp-http/metrics',
  headers: PROTOBUF,
  body: (step) => up('h', step),
});
itKeepsClustersApart('a writer in each cluster', otlp, {
  name: 'otlp-http/metrics',
  headers: PROTOBUF,
  body: (step) => up(`h${step % 2}`, step),
});

it('clusters that only the header names have a running total of deltas each', async () => {
  const { send, batches, telemetry } = openForClusters(otlp);
  for (let step = 0; step < 4; step++) {
    const cluster = step % 2 === 0 ? 'a' : 'b';
    const timeNs = timeOf(step);
    const hits = sum('hits', '', 1, true, numberPoint(timeNs, cluster === 'a' ? 1n : 10n));
    const positive = { offset: 0, counts: [2] };
    const sizes = exponential('sizes', '', 1, { timeNs, count: 2n, sum: 2, scale: 0, positive });
    await send('otlp-http/metrics', PROTOBUF, cluster, exportRequest(resource('h'), [hits, sizes]));
  }
  expect(storedByCluster(batches)).toEqual([
    'a: hits_total 1', 'a: sizes 2', 'b: hits_total 10', 'b: sizes 2',
    'a: hits_total 2', 'a: sizes 4', 'b: hits_total 20', 'b: sizes 4',
  ]); // biome-ignore format: a list to read
  expect(telemetry().dropped).toEqual([]);
});
