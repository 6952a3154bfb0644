import { expect, it } from 'vitest';
import { factLines } from './fact-lines.ts';

it('puts telling facts first, writes units, and leaves out references and what is empty', () => {
  const facts = {
    qos: 'Burstable',
    ready: true,
    memoryBytes: 85_899_345_920,
    image: 'vllm:1',
    images: ['vllm:1'],
    workload: 'workload:a/b/c',
    allocations: [],
    someNewFact: 'x',
    containerRuntime: 'containerd://1.7.27',
    ip: '',
  };
  expect(factLines({ kind: 'pod', facts })).toEqual([
    ['Ready', 'yes'],
    ['Image', 'vllm:1'],
    ['Memory', '80.0\u2009GiB'],
    ['QoS class', 'Burstable'],
    ['Some new fact', 'x'],
    ['Container runtime', 'containerd://1.7.27'],
  ]);
});
