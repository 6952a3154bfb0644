/** The ten questions of an investigation, in the order in which they are answered. */
export const QUESTIONS = {
  'workload-health': 'Is the Kubernetes workload healthy?',
  'restarts-readiness': 'Are pods restarting or failing readiness checks?',
  'node-pressure': 'Is the node under CPU or memory pressure?',
  gpu: 'Is the GPU fully used, underused, throttled, faulty, or short of memory, and is that a problem for this workload?',
  scope: 'Has latency increased for all requests or only for a subset?',
  downstream: 'Are downstream services contributing to the delay?',
  changes: 'What changed just before?',
  demand: 'Did demand change?',
  phases: 'Where in the request does the time go?',
  telemetry: 'Can the telemetry be trusted here?',
} as const;

export type QuestionId = keyof typeof QUESTIONS;
