import { contradicts, defineCheck, type FoundFact, NO_GPU } from '../check.ts';
import { has } from '../reading.ts';
import { median, sum } from '../robust.ts';
import { amount, counted } from '../words.ts';

/** Share of time with a kernel resident from which a card counts as in use throughout. */
const BUSY = 0.9;
const IDLE = 0.1;
/** Requests that wait per replica before a queue counts as one. */
const QUEUE = 1;

/**
 * What the use of the cards means for this workload, with the demand beside it. Never a cause: full use with short
 * queues is how a healthy server looks, low use without arrivals too; low use with users waiting points elsewhere.
 */
export const gpuUse = defineCheck({
  question: 'gpu',
  needs: {
    utilization: { signal: 'gpu.utilization', of: 'node-gpus', by: 'gpu' },
    waiting: { signal: 'inference.waiting', of: 'workload', by: 'pod' },
    requests: { signal: 'inference.requests', of: 'workload', by: 'pod', optional: true },
    used: { signal: 'gpu.memory.used', of: 'node-gpus', by: 'gpu', optional: true },
    total: { signal: 'gpu.memory.total', of: 'node-gpus', by: 'gpu', optional: true },
  },
  judge({ focus, symptom }, { utilization, waiting, requests, used, total }) {
    const own = focus.gpus.flatMap((gpu) => utilization.of(gpu.ref) ?? []).filter(has);
    const none = { findings: [], hypotheses: [], ruledOut: [] };
    if (focus.gpus.length === 0) return NO_GPU;
    if (own.length === 0)
      return { status: 'unknown', summary: 'How much its GPUs are used is not collected.', ...none };
    const use = median(own.map((reading) => reading.during));
    const queue = sum(waiting.all.map((reading) => reading.during));
    const arrivals = sum(requests.all.map((reading) => reading.during));
    const queued = queue >= QUEUE * Math.max(1, focus.pods.length);
    const troubled = symptom.state === 'moved' || symptom.state === 'violated';
    const memory = memoryWords(
      focus.gpus.map((gpu) => gpu.ref),
      used,
      total,
    );
    const cards = `${counted(own.length, 'GPU')} ${amount(use, 'ratio')} used${memory}`;
    const cites = contradicts(...own.slice(0, 4), ...waiting.all.slice(0, 2));
    const fact = (severity: FoundFact['severity'], summary: string): FoundFact => ({
      severity,
      entity: focus.self.ref,
      summary,
      cites,
    });
    if (use >= BUSY && !queued) {
      const summary = `${cards}, ${waiting.all.length > 0 ? 'no queue' : 'queue not collected'}: busy, which is not a problem in itself.`;
      return { status: 'ok', summary, ...none, findings: [fact('info', summary)] };
    }
    if (use >= BUSY) {
      const summary = `${cards} with ${amount(queue, '1')} requests waiting: the cards are the limit at this demand.`;
      return { status: 'ok', summary, ...none, findings: [fact('info', summary)] };
    }
    if (use < BUSY && troubled && arrivals > 0 && use < 0.5) {
      const summary = `${cards} while users wait: something in front of the GPUs holds requests back.`;
      return { status: 'ok', summary, ...none, findings: [fact('warning', summary)] };
    }
    const idle = use <= IDLE && !(arrivals > 0.05);
    return {
      status: 'ok',
      summary: idle ? `${cards}: idle, as nobody asks; full memory is normal then.` : `${cards}: room left.`,
      ...none,
    };
  },
});

function memoryWords(
  gpus: readonly string[],
  used: { of(ref: string): { during: number } | undefined },
  total: { of(ref: string): { during: number } | undefined },
): string {
  const shares = gpus
    .map((gpu) => (used.of(gpu)?.during ?? Number.NaN) / (total.of(gpu)?.during ?? Number.NaN))
    .filter(Number.isFinite);
  return shares.length > 0 ? `, memory ${amount(median(shares), 'ratio')} full` : '';
}
