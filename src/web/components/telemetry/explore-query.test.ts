import { expect, test } from 'vitest';
import { seriesCountQuery, valueCountQuery } from './explore-query.ts';

test.each([
  ['http_requests_total', 'user_id', 'count(count by (user_id) (http_requests_total))'],
  ['vllm:ttft', 'pod', 'count(count by (pod) (vllm:ttft))'],
  ['http.server.duration', 'user.id', 'count(count by ("user.id") ({"http.server.duration"}))'],
  ['odd"name\\', 'a:b', 'count(count by ("a:b") ({"odd\\"name\\\\"}))'],
])('%s by %s', (metric, label, expected) => {
  expect(valueCountQuery(metric, label)).toBe(expected);
});

test('series of a metric are counted cluster by cluster', () => {
  expect(seriesCountQuery('up')).toBe('count by (cluster) (up)');
});
