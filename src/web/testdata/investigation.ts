import type { InvestigationBody } from '../../api/contract/index.ts';
import { formatRef, QUESTIONS } from '../../model/index.ts';
import { HOT_GPU, type MockEstate, SLOW_POD } from './estate.ts';

export function buildInvestigation(estate: MockEstate, id: string, subject: string, fromMs: number, toMs: number): InvestigationBody {
  const iso = (ms: number) => new Date(ms).toISOString();
  const onset = estate.faultMs + 40_000;
  const sick = subject.includes('llama-3-70b') || subject === HOT_GPU;
  const window = { from: iso(sick ? onset : fromMs), to: iso(toMs) };
  const baseline = { from: iso((sick ? onset : fromMs) - 3_600_000), to: iso(sick ? onset : fromMs) };
  const query = (text: string) => ({ language: 'promql' as const, text, from: baseline.from, to: window.to, step: 15 });
  const node = formatRef('node', 'prod-eu', '', 'gpu-1');
  const nothing: InvestigationBody = {
    id, state: 'done', createdAt: iso(toMs), subject, symptom: 'latency', window, baseline, onset: null, verdict: 'no-fault',
    headline: 'No fault: latency of this model service is as usual, and its GPUs are busy with work that meets its objective.',
    confidence: 0.88, causes: [], questions: answers({}), phases: [], subsets: [], evidence: [], ruledOut: [],
    unseen: [], trust: [], next: [], cost: { queries: 24, seconds: 0.31 }, tookMs: 344,
  };
  if (!sick) return nothing;
  return {
    ...nothing,
    onset: { at: iso(onset), low: iso(onset - 30_000), high: iso(onset + 30_000) },
    verdict: 'cause-found',
    headline: 'GPU GPU-5f2c81aa on gpu-1 is throttled for heat; replica llama-3-70b-0 decodes 3.1× slower.',
    confidence: 0.92,
    causes: [
      { entity: HOT_GPU, mechanism: 'gpu-thermal-throttle', layer: 'infrastructure', score: 0.92, since: iso(onset - 20_000),
        summary: 'The GPU holds its clock down for temperature: 1980 → 1215 MHz at 91 °C.', chain: [HOT_GPU, SLOW_POD, subject], evidence: ['e1', 'e2', 'e3', 'e4'] },
      { entity: SLOW_POD, mechanism: 'routing-hotspot', layer: 'serving', score: 0.14, since: iso(onset + 60_000),
        summary: 'The gateway sends this replica 41 % of the requests.', chain: [SLOW_POD, subject], evidence: ['e5'] },
    ],
    questions: answers({
      gpu: { status: 'problem', summary: 'GPU-5f2c81aa under llama-3-70b-0 spent 62 % of the time throttled for heat.', findings: [
        { severity: 'critical', entity: HOT_GPU, summary: 'SM clock fell from 1980 to 1215 MHz while the GPU was 97 % busy.', evidence: ['e1', 'e2'] },
        { severity: 'info', entity: node, summary: 'The other 3 GPUs of gpu-1 run at 1980 MHz and 68 °C.', evidence: ['e2'] } ] },
      scope: { status: 'problem', summary: 'Only 1 of 3 replicas: llama-3-70b-0. All tenants and prompt lengths.', findings: [
        { severity: 'warning', entity: SLOW_POD, summary: 'Inter-token latency 24 → 74 ms here; the other replicas are as before.', evidence: ['e4'] } ] },
      phases: { status: 'problem', summary: 'Decode: 91 % of the added time. Queue: 7 %.', findings: [] },
      telemetry: { status: 'ok', summary: 'All sources fresh, newest sample 8 s ago.', findings: [] },
      demand: { status: 'ok', summary: 'Request rate +2 %, prompt length equal.', findings: [] },
    }),
    phases: [
      { phase: 'queue', before: 0.02, during: 0.61, share: 0.07 },
      { phase: 'prefill', before: 0.34, during: 0.42, share: 0.02 },
      { phase: 'decode', before: 6.1, during: 15.8, share: 0.91 },
    ],
    subsets: [{ ref: SLOW_POD, attribute: 'pod', value: 'llama-3-70b-0', before: 0.33, during: 0.96, lift: 2.9 }],
    evidence: [
      { id: 'e1', signal: 'gpu.sm_clock', entity: HOT_GPU, query: query('avg by (UUID) (DCGM_FI_DEV_SM_CLOCK{UUID="GPU-5f2c81aa"})'), before: 1980, during: 1215, unit: 'MHz', role: 'supports' },
      { id: 'e2', signal: 'gpu.temperature', entity: HOT_GPU, query: query('max by (UUID) (DCGM_FI_DEV_GPU_TEMP{UUID="GPU-5f2c81aa"})'), before: 66, during: 91, unit: '°C', role: 'supports' },
      { id: 'e3', signal: 'gpu.throttle.thermal', entity: HOT_GPU, query: query('rate(DCGM_FI_DEV_THERMAL_VIOLATION{UUID="GPU-5f2c81aa"}[1m])'), before: 0, during: 0.62, unit: 'ratio', role: 'supports' },
      { id: 'e4', signal: 'inference.itl', entity: SLOW_POD, query: query('histogram_quantile(0.95, sum by (le) (rate(vllm:inter_token_latency_seconds_bucket{pod="llama-3-70b-0"}[1m])))'), before: 0.024, during: 0.074, unit: 's', role: 'supports' },
      { id: 'e5', signal: 'inference.requests', entity: subject, query: query('sum(rate(vllm:request_success_total{pod=~"llama-3-70b-.*"}[1m]))'), before: 4.8, during: 4.9, unit: '1/s', role: 'contradicts' },
    ],
    ruledOut: [
      { mechanism: 'demand-burst', entity: subject, because: 'the request rate rose by 2 % only', evidence: ['e5'] },
      { mechanism: 'long-prompt-regression', entity: subject, because: 'the 95th percentile of prompt length is equal', evidence: [] },
      { mechanism: 'bad-rollout', entity: formatRef('workload', 'prod-eu', 'inference', 'rag-api'), because: 'rag-api rolled out 26 minutes before the onset and is no part of the slow phase', evidence: [] },
    ],
    unseen: [{ signal: 'gpu.nvlink.errors', entity: node, why: 'NVLink counters are not exported on gpu-1.', fix: 'Add DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL to the counters file of dcgm-exporter.' }],
    trust: [{ source: 'scrape dcgm-exporter', freshnessSeconds: 8, gaps: 0, dropped: 0 }],
    next: [
      { text: 'Take llama-3-70b-0 out of the rotation so that requests go to the healthy replicas.', action: 'kubectl -n inference label pod llama-3-70b-0 serving=false --overwrite' },
      { text: 'Check cooling of gpu-1: fans, inlet temperature, neighbours in the rack.' },
    ],
    cost: { queries: 41, seconds: 0.38 },
    tookMs: 412,
  };
}

type Answers = InvestigationBody['questions'];

function answers(known: Partial<Record<string, Omit<Answers[number], 'id' | 'text'>>>): Answers {
  const usual: Record<string, string> = {
    'workload-health': '3 of 3 replicas ready, no rollout in progress.', 'restarts-readiness': 'No restarts in 2 h, 2 failed readiness probes.',
    'node-pressure': 'CPU 38 %, memory 39 % used, no pressure.', gpu: 'All GPUs busy at full clock; no queue.', scope: 'No part of the requests differs.',
    downstream: 'gateway and rag-api add 4 ms, as before.', changes: 'rag-api 41 at 52 min before; does not fit.', demand: 'Request rate as usual.',
    phases: 'No phase moved.', telemetry: 'All sources are fresh.',
  };
  return Object.entries(QUESTIONS).map(([id, text]) => ({ id, text, status: 'ok', summary: usual[id] ?? '', findings: [], ...known[id] }));
}
