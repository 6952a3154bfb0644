import { expect, it } from 'vitest';
import { commonLabels, guessUnit, seriesName } from './series.ts';

const series = (labels: Record<string, string>) => ({ key: JSON.stringify(labels), labels, points: [] });

it('names series by what tells them apart', () => {
  const all = [series({ __name__: 'up', job: 'vllm', pod: 'a' }), series({ __name__: 'up', job: 'vllm', pod: 'b' })];
  const shared = commonLabels(all);
  expect(shared).toEqual({ __name__: 'up', job: 'vllm' });
  expect(all.map((s) => seriesName(s.labels, shared))).toEqual(['a', 'b']);
  expect(seriesName({ __name__: 'up' }, {})).toBe('up');
  expect(seriesName({ pod: 'a', le: '1' }, {})).toBe('pod=a le=1');
  expect(seriesName({}, {})).toBe('value');
});

it.each([
  ['histogram_quantile(0.95, rate(vllm:time_to_first_token_seconds_bucket[1m]))', 's'],
  ['container_memory_working_set_bytes', 'bytes'],
  ['rate(node_network_receive_bytes_total[1m])', 'bytes/s'],
  ['vllm:kv_cache_usage_perc', 'ratio'],
  ['rate(http_request_duration_seconds_sum[1m])', ''],
  ['up', ''],
])('%s is in %s', (query, unit) => {
  expect(guessUnit(query)).toBe(unit);
});
