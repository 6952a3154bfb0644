import { contradicts, defineCheck, supports } from '../check.ts';
import { difference, has, shiftOf } from '../reading.ts';
import { median, sum } from '../robust.ts';
import { CPU_THROTTLED, NODE_STEAL } from '../thresholds.ts';
import { timeAt } from '../window.ts';
import { amount, nameOf } from '../words.ts';

/**
 * A CPU limit that stops the process in front of the engine. Must move: throttled periods up. Must not: the engine's own
 * queue (requests do not get that far), GPU use up, the hypervisor's share.
 */
export const cpuLimit = defineCheck({
  question: 'node-pressure',
  needs: {
    throttled: { signal: 'container.cpu.throttled_ratio', of: 'workload', by: 'pod' },
    usage: { signal: 'container.cpu.usage', of: 'workload', by: 'pod', optional: true },
    waiting: { signal: 'inference.waiting', of: 'workload', by: 'pod', optional: true },
    utilization: { signal: 'gpu.utilization', of: 'node-gpus', by: 'gpu', optional: true },
    steal: { signal: 'node.cpu.steal', of: 'nodes', by: 'node', optional: true },
  },
  judge({ focus, frame, estate }, { throttled, usage, waiting, utilization, steal }) {
    const none = { findings: [], hypotheses: [], ruledOut: [] };
    const seen = throttled.all.filter(has);
    if (seen.length === 0)
      return { status: focus.pods.length > 0 ? 'unknown' : 'not-applicable', summary: '', ...none };
    const hit = seen.filter((reading) => reading.during >= CPU_THROTTLED && difference(reading) >= CPU_THROTTLED / 2);
    const [first] = hit;
    if (!first) {
      const most = Math.max(...seen.map((reading) => reading.during));
      const because = `CPU limits stop its containers in at most ${amount(most, 'ratio')} of periods`;
      return {
        status: 'ok',
        summary: '',
        ...none,
        ruledOut: [
          { mechanism: 'cpu-limit-throttle', entity: focus.self.ref, because, cites: contradicts(...seen.slice(0, 3)) },
        ],
      };
    }
    const queue = sum(hit.map((reading) => difference(waiting.of(reading.entity))));
    const used = focus.gpus.map((gpu) => difference(utilization.of(gpu.ref))).filter(Number.isFinite);
    const starved = used.length > 0 && median(used) < -0.05;
    const stolen = steal.all.some((reading) => reading.during >= NODE_STEAL);
    const shift = shiftOf(first, frame, 'up');
    const summary = `${nameOf(estate, first.entity)} is stopped by its CPU limit in ${amount(first.during, 'ratio')} of periods (before ${amount(first.before, 'ratio')})${starved ? ', so its GPUs wait' : ''}.`;
    const entity = focus.workload?.ref ?? focus.self.ref;
    const cites = supports(first, usage.of(first.entity));
    return {
      status: 'problem',
      summary,
      findings: [{ severity: 'warning', entity: first.entity, summary, cites }],
      hypotheses: [
        {
          mechanism: 'cpu-limit-throttle',
          entity,
          strength: (starved ? 0.9 : 0.7) - (queue > focus.pods.length ? 0.3 : 0) - (stolen ? 0.3 : 0),
          since: shift && timeAt(frame, shift.start),
          pods: hit.map((reading) => reading.entity),
          via: [first.entity],
          summary,
          cites,
        },
      ],
      ruledOut: [],
    };
  },
});
