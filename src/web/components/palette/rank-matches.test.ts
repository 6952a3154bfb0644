import { expect, it } from 'vitest';
import { rankMatches } from './rank-matches.ts';

const item = (kind: 'pod' | 'workload' | 'container' | 'service', name: string) => ({
  kind,
  name,
  ref: `${kind}:c/n/${name}`,
});

it('puts what is meant before what only contains it', () => {
  const found = [
    item('container', 'llama-0/vllm'),
    item('pod', 'llama-0'),
    item('service', 'llama'),
    item('workload', 'llama'),
    item('workload', 'my-llama'),
  ];
  expect(rankMatches(found, 'Llama').map((m) => m.ref)).toEqual([
    'workload:c/n/llama',
    'service:c/n/llama',
    'pod:c/n/llama-0',
    'container:c/n/llama-0/vllm',
    'workload:c/n/my-llama',
  ]);
});

it('shows a dozen', () => {
  expect(
    rankMatches(
      Array.from({ length: 40 }, (_, i) => item('pod', `p-${i}`)),
      'p',
    ).length,
  ).toBe(12);
});
