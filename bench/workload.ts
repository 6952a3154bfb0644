import { remoteWriteBody, type WrittenSeries } from '../test/programs/remote-write.ts';

/**
 * The metrics workload: 2,000 series (half counters, half gauges) in 20 namespaces, one sample every 15 s for 4 h,
 * sent as an agent with four shards would, bodies of 500 series' next samples.
 */
export const STEP_MS = 15_000;
const SERIES = 2000;
const STEPS = 960;
export const SAMPLES = SERIES * STEPS;

const now = Math.floor(Date.now() / STEP_MS) * STEP_MS;
export const START_MS = now - STEPS * STEP_MS;
export const END_MS = START_MS + (STEPS - 1) * STEP_MS;

export const QUERIES: Readonly<Record<string, { text: string; seconds: number; step: number }>> = {
  'sum(rate) of 500 series, 721 steps': {
    text: 'sum(rate(bench_requests_total{half="a"}[5m]))',
    seconds: 10_800,
    step: 15,
  },
  'sum by (namespace) (rate) of 1,000 series': {
    text: 'sum by (namespace) (rate(bench_requests_total[5m]))',
    seconds: 10_800,
    step: 15,
  },
  'topk(5, avg_over_time[1h]) of 1,000 series': {
    text: 'topk(5, avg_over_time(bench_memory_bytes[1h]))',
    seconds: 3600,
    step: 15,
  },
  '500 raw series': { text: 'bench_memory_bytes{half="a"}', seconds: 3600, step: 15 },
  'quotient of two sums': {
    text: 'sum by (namespace) (rate(bench_requests_total{half="a"}[5m])) / sum by (namespace) (rate(bench_requests_total[5m]))',
    seconds: 10_800,
    step: 15,
  },
  'max_over_time by regex': {
    text: 'max by (namespace) (max_over_time(bench_memory_bytes{pod=~"pod-1.*"}[10m]))',
    seconds: 3600,
    step: 15,
  },
};

/** Senders of every load, each with a share of the series and its samples in order, as an agent's shards have. */
export const SENDERS = 4;

/** Bodies of one sender of the first load: 500 samples each. */
export function writeBodies(sender: number): Generator<Buffer> {
  return bodiesOf(sender, { prefix: 'bench', series: SERIES, startMs: START_MS, steps: STEPS });
}

/** The load in bodies of 2,000 samples, which is what Prometheus 3 sends at most by default; within the newest hour. */
const LARGE_STEPS = 230;
const LARGE_SERIES = 8000;
export const LARGE_SAMPLES = LARGE_SERIES * LARGE_STEPS;

export function largeBodies(sender: number): Generator<Buffer> {
  const startMs = END_MS - LARGE_STEPS * STEP_MS;
  return bodiesOf(sender, { prefix: 'large', series: LARGE_SERIES, startMs, steps: LARGE_STEPS });
}

/** A body for each step of a sender's share of the series. */
function* bodiesOf(
  sender: number,
  load: { prefix: string; series: number; startMs: number; steps: number },
): Generator<Buffer> {
  const random = generator(7 + sender);
  const perSender = load.series / SENDERS;
  const numbers = Array.from({ length: perSender }, (_, i) => sender * perSender + i);
  const labels = numbers.map((number) => labelsOf(number, load.prefix));
  const values = new Float64Array(perSender);
  for (let step = 0; step < load.steps; step++) {
    const timeMs = load.startMs + step * STEP_MS;
    const series: WrittenSeries[] = numbers.map((number, i) => {
      const before = values[i] ?? 0;
      values[i] =
        number % 2 === 0
          ? before + Math.floor(random() * 200)
          : Math.round(1e9 + 1e8 * Math.sin((step + number) / 50) + random() * 1e6);
      return { labels: labels[i] ?? {}, samples: [{ value: values[i] ?? 0, timeMs }] };
    });
    yield remoteWriteBody(series);
  }
}

/** The churn load: pods that live for ten samples, so that every body brings new series. */
export const CHURN_SERIES = 80_000;
const CHURN_SAMPLES_EACH = 10;
export const CHURN_SAMPLES = CHURN_SERIES * CHURN_SAMPLES_EACH;
const CHURN_STEP_MS = 5000;
/** Prometheus takes what is within an hour of its newest sample. */
const CHURN_START_MS = END_MS - 45 * 60_000;

/** Bodies of one sender with its share of the pods, a tenth of which are replaced at each step. */
export function* churnBodies(sender: number): Generator<Buffer> {
  const living = 500;
  const perSender = CHURN_SERIES / SENDERS;
  const replaced = living / CHURN_SAMPLES_EACH;
  // The first pods begin one after another and the last end so, hence the steps before and after.
  const steps = perSender / replaced + CHURN_SAMPLES_EACH - 1;
  for (let step = 0; step < steps; step++) {
    const timeMs = CHURN_START_MS + step * CHURN_STEP_MS;
    const series: WrittenSeries[] = [];
    for (let age = 0; age < CHURN_SAMPLES_EACH; age++) {
      const born = step - age;
      if (born < 0 || born >= perSender / replaced) continue;
      for (let i = 0; i < replaced; i++) {
        const pod = sender * perSender + born * replaced + i;
        const labels = { ...labelsOf(pod % SERIES, 'churn'), __name__: 'churn_requests_total', pod: `pod-${pod}` };
        series.push({ labels, samples: [{ value: age * 10, timeMs }] });
      }
    }
    yield remoteWriteBody(series);
  }
}

function labelsOf(i: number, prefix: string): Record<string, string> {
  return {
    __name__: i % 2 === 0 ? `${prefix}_requests_total` : `${prefix}_memory_bytes`,
    cluster: 'bench',
    namespace: `namespace-${i % 20}`,
    pod: `pod-${i >> 1}`,
    instance: `10.0.${(i >> 1) & 255}.1:9100`,
    job: 'bench',
    half: (i >> 1) % 2 === 0 ? 'a' : 'b',
  };
}

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
