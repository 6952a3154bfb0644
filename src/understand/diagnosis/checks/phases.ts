import { defineCheck, supports } from '../check.ts';
import { phasesFrom } from '../phases.ts';
import { amount } from '../words.ts';

/** Where in the request the time goes, by the engine's own histograms; names the phase that moved most. */
export const phases = defineCheck({
  question: 'phases',
  needs: {
    e2e: { signal: 'inference.e2e', of: 'self', stat: 'mean' },
    queue: { signal: 'inference.queue_time', of: 'self', stat: 'mean' },
    prefill: { signal: 'inference.prefill_time', of: 'self', stat: 'mean' },
    decode: { signal: 'inference.decode_time', of: 'self', stat: 'mean' },
  },
  judge({ focus }, readings) {
    const none = { findings: [], hypotheses: [], ruledOut: [] };
    const shares = phasesFrom(readings);
    if (shares.length === 0) {
      const serves = readings.e2e.all.length > 0 || focus.gpus.length > 0;
      return {
        status: serves ? 'unknown' : 'not-applicable',
        summary: 'Its engine gives no times of queue, prefill and decode.',
        ...none,
      };
    }
    const told = shares.map((p) => `${p.phase} ${amount(p.during, 's')}`).join(', ');
    const [most] = [...shares].sort((a, b) => b.during - b.before - (a.during - a.before));
    const grew = most !== undefined && most.during > most.before * 1.2 && most.share >= 0.3;
    if (!grew) return { status: 'ok', summary: `As before: ${told}.`, ...none };
    const summary = `${most.phase} grew from ${amount(most.before, 's')} to ${amount(most.during, 's')} and makes ${amount(most.share, 'ratio')} of the change; now ${told}.`;
    const cites = supports(readings.queue.one, readings.prefill.one, readings.decode.one);
    return {
      status: 'problem',
      summary,
      ...none,
      findings: [{ severity: 'info', entity: focus.self.ref, summary, cites }],
    };
  },
});
