/** What the mock says of its telemetry: a sender that stalled 6 minutes ago, and a label that explodes. */
import type { CardinalityResponse, RedactionResponse, RedactionTestResponse, TelemetryResponse, Trouble } from '../../api/contract/index.ts';

type Source = TelemetryResponse['sources'][number];

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
export const STALLED = '10.8.0.12 (prometheus/3.5.0)';
const STALLED_WORDS = `Remote write from ${STALLED} of prod-us has been silent for 6 m, so metrics of prod-us may end there.`;
const STALLED_FIX = 'Check that the sender runs and reaches this server: its own log names the answer it gets. It usually sends every 15 s.';
const EXAMPLE = 'gateway_requests_total{cluster="prod-eu", method="POST", path="/v1/chat/completions", user_id="u-7f31c09a"}';
const DROP_FIX = 'Drop the label user_id where the metric is made or collected, or raise limits.perMetric.';

export function mockTrouble(): Trouble[] {
  return [
    { id: `source-silent remote-write prod-us ${STALLED}`, severity: 'warning', since: ago(372), cluster: 'prod-us', source: STALLED, words: STALLED_WORDS, fix: STALLED_FIX },
    { id: 'drops limit_series samples', severity: 'warning', since: ago(1260), words: '41 samples per second are dropped: gateway_requests_total has more series than limits.perMetric allows, by its label user_id.', fix: DROP_FIX },
  ];
}

export function mockTelemetry(): TelemetryResponse {
  const source = (cluster: string, kind: string, name: string, lag: number, perSecond: number, more: Partial<Source> = {}): Source => {
    const quiet = Math.floor(lag / 60);
    const perMinute = Array.from({ length: 60 }, (_, i) => (i >= 60 - quiet ? 0 : Math.round(perSecond * 60 * (1 + 0.12 * Math.sin(i / 3 + lag)))));
    return {
      cluster, kind, name, state: 'connected', lastSeen: ago(lag), lagSeconds: 0.4 + (lag % 5), gaps: 0, perSecond: quiet > 1 ? 0 : perSecond,
      requests: 240, items: Math.round(perSecond * 3540), bytes: Math.round(perSecond * 3540 * 31), dropped: 0, repeated: 0, perMinute, usualPauseSeconds: 15, ...more,
    };
  };
  const sources = ['prod-eu', 'prod-us'].flatMap((cluster) => [
    source(cluster, 'kubernetes', 'pods', 3, 0.4, { usualPauseSeconds: null, lagSeconds: null }), source(cluster, 'kubernetes', 'nodes', 21, 0.1, { usualPauseSeconds: null, lagSeconds: null }),
    source(cluster, 'scrape', 'vllm http://10.8.1.20:8000/metrics', 8, 412), source(cluster, 'scrape', 'node-exporter http://10.8.0.9:9100/metrics', 11, 320),
    cluster === 'prod-us'
      ? source(cluster, 'remote-write', STALLED, 372, 640, { state: 'silent', gaps: 2, usualPauseSeconds: 15, message: STALLED_FIX })
      : source(cluster, 'remote-write', '10.4.0.7 (prometheus/3.5.0)', 6, 710, { dropped: 51_840, repeated: 3 }),
    source(cluster, 'otlp', '10.4.2.31 (OTel-OTLP-Exporter-Python/1.38.0)', 2, 64), source(cluster, 'loki', '10.4.0.11 (promtail/3.5.1)', 1, 38),
  ]);
  return {
    sources,
    dropped: [
      { reason: 'too_old', signal: 'samples', protocol: 'remote-write', count: 312, perSecond: 0, since: ago(3000), last: ago(2400), example: 'node_load1{instance="10.8.0.12:9100"} 9 days old', fix: 'Send samples within ingest.accept.past, or raise it.' },
      { reason: 'limit_series', signal: 'samples', protocol: 'remote-write', count: 51_840, perSecond: 41.2, since: ago(1260), last: ago(2), example: EXAMPLE, sender: '10.4.0.7 (prometheus/3.5.0)', label: 'user_id', fix: DROP_FIX },
    ],
    tables: [
      { name: 'samples', rows: 41_203_332, bytes: 71_303_168, kind: 'signal' }, { name: 'series', rows: 25_204, bytes: 2_097_152, kind: 'signal' }, { name: 'logs', rows: 312_004, bytes: 18_874_368, kind: 'signal' },
      { name: 'spans', rows: 208_114, bytes: 23_068_672, kind: 'signal' }, { name: 'object_versions', rows: 1204, bytes: 512_000, kind: 'signal' }, { name: 'exemplars', rows: 0, bytes: 0, kind: 'signal' },
      { name: 'query_log', rows: 91_204, bytes: 6_291_456, kind: 'system' }, { name: 'part_log', rows: 4210, bytes: 524_288, kind: 'system' },
    ],
    series: 12_480,
    spool: { bytes: 262_144, maxBytes: 4_294_967_296, oldestSeconds: 0.8, refusedFiles: 0, state: 'ok' },
    store: { up: true, since: ago(3600) },
    loops: [{ thread: 'main', p50Seconds: 0.0002, p99Seconds: 0.011, maxSeconds: 0.038 }, { thread: 'ingest', p50Seconds: 0.0008, p99Seconds: 0.021, maxSeconds: 0.044 }],
  };
}

export function mockCardinality(cluster: string | undefined): CardinalityResponse {
  const metric = (name: string, of: string, series: number, churnPerHour: number, growthPerHour: number, labels: [string, number, string][], refused = 0) =>
    ({ metric: name, cluster: of, series, share: series / 12_480, churnPerHour, growthPerHour, refused, labels: labels.map(([label, values, example]) => ({ name: label, values, example })) });
  const usual = ['vllm:time_to_first_token_seconds_bucket', 'vllm:inter_token_latency_seconds_bucket', 'container_cpu_usage_seconds_total', 'kube_pod_container_status_restarts_total', 'DCGM_FI_DEV_SM_CLOCK', 'node_cpu_seconds_total', 'http.server.request.duration'];
  const metrics = ['prod-eu', 'prod-us'].flatMap((of) => [
    ...(of === 'prod-eu' ? [metric('gateway_requests_total', of, 5000, 4120, 3960, [['user_id', 4870, 'u-7f31c09a'], ['path', 6, '/v1/chat/completions'], ['status', 5, '200'], ['method', 2, 'POST']], 51_840)] : []),
    ...usual.map((name, i) => metric(name, of, 640 - i * 88, 12 - i, i % 3 === 0 ? 0 : 4 - i, [['le', 24, '0.25'], ['pod', 9, 'llama-3-70b-0'], ['cluster', 1, of]])),
  ]);
  return {
    active: 12_480, limit: 1_000_000, perMetricLimit: 5000,
    clusters: [{ cluster: 'prod-eu', series: 9120, limit: 500_000 }, { cluster: 'prod-us', series: 3360, limit: 500_000 }].filter((c) => cluster === undefined || c.cluster === cluster),
    metrics: metrics.filter((m) => cluster === undefined || m.cluster === cluster),
    labels: [
      { name: 'user_id', values: 4870, metrics: 1, example: ['u-7f31c09a', 'u-0c21fe77', 'u-91aa3b20'] }, { name: 'pod', values: 96, metrics: 84, example: ['llama-3-70b-0', 'qwen-14b-7c9f-x2'] },
      { name: 'le', values: 24, metrics: 22, example: ['0.25', '0.5', '+Inf'] }, { name: 'instance', values: 31, metrics: 210, example: ['10.8.0.9:9100'] }, { name: 'cluster', values: 2, metrics: 240, example: ['prod-eu', 'prod-us'] },
    ],
    refusals: cluster === 'prod-us' ? [] : [{ metric: 'gateway_requests_total', cluster: 'prod-eu', reason: 'limit_series', label: 'user_id', count: 51_840, since: ago(1260), last: ago(2), example: EXAMPLE }],
  };
}

const RULES: [string, string, number][] = [
  ['aws-key', 'Access key ids of AWS and the secrets beside them.', 0], ['private-key', 'Private keys in PEM form.', 1], ['jwt', 'JSON web tokens.', 12], ['bearer', 'What stands behind Bearer in a header.', 48], ['password', 'Values of keys and assignments that are called password, secret or the like.', 7],
  ['url-credentials', 'The user and password in a URL.', 3], ['api-key', 'Keys of well-known services, and values of keys that are called api key or token.', 2], ['email', 'Mail addresses.', 210], ['card', 'Numbers of payment cards whose check digit is right.', 0], ['prompt', 'Prompts and completions of model calls.', 9120],
];

export function mockRedaction(): RedactionResponse {
  const rules = RULES.map(([name, hides, count]) => ({ name, source: 'built-in' as const, on: true, hides, count, ...(count > 0 ? { last: ago(30 + count) } : {}) }));
  return { prompts: 'mask', rules: [...rules, { name: 'employee-number', source: 'user', on: true, hides: 'E- and six digits, where “E-” occurs.', count: 4, last: ago(900) }] };
}

export function mockRedactionTest(text: string): RedactionTestResponse {
  const matches = [...text.matchAll(/[\w.]+@[\w.]+\.\w+|(?<=Bearer )\S+/g)].map((found) => ({ rule: found[0].includes('@') ? 'email' : 'bearer', start: found.index, end: found.index + found[0].length }));
  let at = 0;
  const parts = matches.map(({ rule, start, end }) => {
    const part = `${text.slice(at, start)}[redacted:${rule}]`;
    at = end;
    return part;
  });
  return { text: parts.join('') + text.slice(at), matches };
}
