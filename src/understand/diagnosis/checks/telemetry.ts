import { defineCheck, type FoundFact, supports } from '../check.ts';
import { has } from '../reading.ts';
import { finite } from '../robust.ts';
import { CLOCK_SKEW } from '../thresholds.ts';
import { timeAt } from '../window.ts';
import { amount, counted, listed, nameOf } from '../words.ts';

/** Telemetry that stopped this long before the end of the window is silent. */
const SILENT_MS = 5 * 60_000;

/** Whether the numbers above can be believed: targets up, cards and replicas not silent, clocks right. */
export const telemetry = defineCheck({
  question: 'telemetry',
  needs: {
    up: { signal: 'telemetry.up', of: 'workload', by: 'pod' },
    clock: { signal: 'node.clock_offset', of: 'nodes', by: 'node', optional: true },
    cards: { signal: 'gpu.utilization', of: 'node-gpus', by: 'gpu', optional: true },
  },
  judge({ focus, frame, estate }, { up, clock, cards }) {
    const down = up.all.filter((reading) => finite(reading.values).at(-1) === 0);
    const skewed = clock.all.filter((reading) => has(reading) && reading.during >= CLOCK_SKEW);
    const silent = [...up.all, ...cards.all].filter((reading) => {
      const last = reading.values.findLastIndex(Number.isFinite);
      return last >= 0 && frame.to - timeAt(frame, last) > SILENT_MS;
    });
    const findings: FoundFact[] = [
      ...down.map((reading) => ({
        severity: 'warning' as const,
        entity: reading.entity,
        summary: `${nameOf(estate, reading.entity)} cannot be scraped.`,
        cites: supports(reading),
      })),
      ...skewed.map((reading) => ({
        severity: 'warning' as const,
        entity: reading.entity,
        summary: `The clock of ${nameOf(estate, reading.entity)} is ${amount(reading.during, 's')} off.`,
        cites: supports(reading),
      })),
      ...silent.map((reading) => ({
        severity: 'warning' as const,
        entity: reading.entity,
        summary: `${nameOf(estate, reading.entity)} has sent nothing for more than 5 min.`,
        cites: supports(reading),
      })),
    ];
    const none = { hypotheses: [], ruledOut: [] };
    if (findings.length > 0)
      return {
        status: 'problem',
        summary: listed(findings.map((f) => f.summary.replace(/\.$/, ''))).concat('.'),
        findings,
        ...none,
      };
    const seen = up.all.length + cards.all.length;
    if (seen === 0)
      return { status: 'unknown', summary: `Nothing says whether ${focus.self.name} is scraped.`, findings, ...none };
    return {
      status: 'ok',
      summary: `Yes: ${counted(up.all.length, 'replica')} scraped, ${counted(cards.all.length, 'GPU')} reporting, no clock off.`,
      findings,
      ...none,
    };
  },
});
