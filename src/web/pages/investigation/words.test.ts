import { expect, it } from 'vitest';
import { MECHANISMS } from '../../../model/index.ts';
import { mechanismWords, signalWords } from './words.ts';

it('says mechanisms and signals as people do', () => {
  expect(mechanismWords('gpu-thermal-throttle')).toBe('GPU thermal throttle');
  expect(mechanismWords('pcie-degraded')).toBe('PCIe degraded');
  expect(mechanismWords('kv-cache-exhausted')).toBe('KV cache exhausted');
  for (const mechanism of Object.keys(MECHANISMS)) expect(mechanismWords(mechanism)).toMatch(/^[A-Z][\w ]+$/);
  expect(signalWords('inference.ttft')).toBe('Time to first token');
  expect(signalWords('container.cpu.throttled_ratio')).toBe('CPU throttled ratio');
  expect(signalWords('events')).toBe('Events');
});
