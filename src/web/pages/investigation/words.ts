import type { InvestigationBody } from '../../../api/contract/index.ts';
import type { State } from '../../components/state.ts';

type Verdict = InvestigationBody['verdict'];
type AnswerStatus = InvestigationBody['questions'][number]['status'];

export const STATE_OF_VERDICT: Readonly<Record<Verdict, State>> = {
  'cause-found': 'critical',
  'no-fault': 'ok',
  benign: 'ok',
  'cannot-tell': 'unknown',
};

export const STATE_OF_ANSWER: Readonly<Record<AnswerStatus, State>> = {
  ok: 'ok',
  problem: 'warning',
  unknown: 'unknown',
  'not-applicable': 'silenced',
};

export const ANSWER_WORD: Readonly<Record<AnswerStatus, string>> = {
  ok: 'ok',
  problem: 'problem',
  unknown: 'cannot tell',
  'not-applicable': 'not applicable',
};

const QUESTION_OF: Readonly<Record<string, string>> = {
  latency: 'slow',
  errors: 'failing',
  throughput: 'doing less',
  availability: 'not available',
};

/** What follows "Why is X". */
export function symptomWord(symptom: string): string {
  return QUESTION_OF[symptom] ?? symptom;
}

const ACRONYMS = new Set(['gpu', 'cpu', 'kv', 'oom', 'dns', 'vm', 'pcie', 'nvlink', 'hpa']);
const SPELLED: Readonly<Record<string, string>> = { pcie: 'PCIe', nvlink: 'NVLink' };

/** `gpu-thermal-throttle` as people say it: `GPU thermal throttle`. */
export function mechanismWords(mechanism: string): string {
  const words = mechanism.split('-').map((word) => SPELLED[word] ?? (ACRONYMS.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `inference.queue_time` as a heading: `Queue time`. */
export function signalWords(signal: string): string {
  const own = signal.includes('.') ? signal.slice(signal.indexOf('.') + 1) : signal;
  const known: Record<string, string> = {
    ttft: 'Time to first token',
    itl: 'Inter-token latency',
    e2e: 'End-to-end latency',
    sm_clock: 'SM clock',
    sm_active: 'SM activity',
    tensor_active: 'Tensor activity',
    kv_usage: 'KV cache use',
    'throttle.thermal': 'Throttled for heat',
    'throttle.power': 'Throttled for power',
    xid: 'XID',
    'nvlink.errors': 'NVLink errors',
    'pcie.replays': 'PCIe replays',
    'pcie.throughput': 'PCIe throughput',
  };
  if (known[own]) return known[own];
  const text = own.replace(/[._]/g, ' ').replace(/\b(cpu|gpu|oom|hpa|ecc|pcie)\b/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}
