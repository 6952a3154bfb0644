import { compressSync } from 'snappy';
import { expect, it } from 'vitest';
import { itKeepsClustersApart, openForClusters } from '../cluster-contract.ts';
import { nowMs } from '../contract.ts';
import { remoteWrite } from './index.ts';
import { headersV1, headersV2, type Labels, requestV1, requestV2, seriesV1 } from './testing.ts';

const sample = (step: number) => [step, nowMs + (step >> 1)] as const;
const v1 = (labels: Labels, step: number) => compressSync(requestV1(seriesV1(labels, [sample(step)])));
const v2 = (labels: Labels, step: number) => compressSync(requestV2([{ labels, samples: [sample(step)] }]));
const UP = { __name__: 'up', job: 'x' };

itKeepsClustersApart('1.0', remoteWrite, { name: 'remote-write', headers: headersV1, body: (step) => v1(UP, step) });
itKeepsClustersApart('2.0', remoteWrite, { name: 'remote-write', headers: headersV2, body: (step) => v2(UP, step) });

it('a label that names the cluster comes before the header', async () => {
  const { send, batches } = openForClusters(remoteWrite);
  await send('remote-write', headersV1, 'a', v1({ ...UP, cluster: 'own' }, 0));
  await send('remote-write', headersV1, 'b', v1({ ...UP, cluster: 'own' }, 2));
  const [first, second] = batches.map(({ samples }) => samples?.series[0]);
  expect(first?.cluster).toBe('own');
  expect(second).toBe(first);
});
