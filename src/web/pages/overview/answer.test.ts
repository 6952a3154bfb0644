import { expect, it } from 'vitest';
import { sentenceText } from '../../components/page-head.tsx';
import type { ModelService } from '../models/use-model-services.ts';
import { answerServices } from './answer.ts';

const service = (name: string, more: Partial<ModelService>): ModelService => ({
  entity: {
    ref: `workload:prod-eu/inference/${name}`,
    uid: '',
    kind: 'workload',
    cluster: 'prod-eu',
    namespace: 'inference',
    name,
    health: { status: 'ok', reasons: [] },
    labels: {},
    facts: { engine: 'vllm' },
    parents: [],
    children: [],
  },
  ttft: [],
  ttftNow: 0.5,
  itlNow: undefined,
  tokens: undefined,
  waiting: undefined,
  requests: undefined,
  errors: undefined,
  state: 'ok',
  word: 'within its objective',
  isOutside: false,
  since: undefined,
  ...more,
});
const slow = { state: 'critical' as const, word: 'slow', isOutside: true, since: 60_000 };
const say = (services: ModelService[], clusters = 1) => {
  const { state, answer } = answerServices(services, () => '12:04', clusters);
  return `${state}: ${sentenceText(answer)}`;
};

it('names the worst first and says when all is well', () => {
  expect(say([])).toBe('unknown: No model service is known here yet.');
  expect(say([service('a', {}), service('b', {})])).toBe('ok: All 2 model services meet their objectives.');
  expect(say([service('llama', slow), service('b', {})])).toBe(
    'critical: 1 of 2 model services is outside its objective: llama is slow since 12:04.',
  );
  expect(say([service('llama', slow), service('b', slow)], 2)).toBe(
    'critical: 2 of 2 model services are outside their objective, first llama in prod-eu is slow since 12:04.',
  );
  expect(say([service('a', { state: 'warning', word: 'one replica short' }), service('b', {})])).toBe(
    'warning: 1 of 2 model services needs attention: a is one replica short.',
  );
  expect(say([service('a', { state: 'unknown' }), service('b', {})])).toBe(
    'unknown: 1 model service of 2 cannot be judged, as no latency is collected; the other one is well.',
  );
  expect(say([service('a', { state: 'idle' })])).toBe('idle: The model service is idle: no requests.');
  expect(say([service('a', { state: 'idle' }), service('b', {})])).toBe(
    'ok: All 2 model services meet their objectives; 1 idle.',
  );
});
