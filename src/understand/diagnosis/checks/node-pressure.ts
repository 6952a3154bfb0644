import type { Mechanism } from '../../../model/index.ts';
import { type CheckContext, contradicts, defineCheck, type Hypothesis, supports } from '../check.ts';
import type { Readings } from '../need.ts';
import { difference, has, type Reading, shiftOf } from '../reading.ts';
import { DISK_FULL, NODE_CPU_HIGH, NODE_MEMORY_LOW, NODE_PRESSURE, NODE_STEAL, RETRANSMITS } from '../thresholds.ts';
import { timeAt } from '../window.ts';
import { amount, counted, nameOf } from '../words.ts';

/** The machines under the pods: CPU, memory, disk, network, the hypervisor. Only what is bad and got worse is a cause. */
export const nodePressure = defineCheck({
  question: 'node-pressure',
  needs: {
    cpu: { signal: 'node.cpu.usage', of: 'nodes', by: 'node' },
    waiting: { signal: 'node.cpu.pressure', of: 'nodes', by: 'node', optional: true },
    steal: { signal: 'node.cpu.steal', of: 'nodes', by: 'node', optional: true },
    memory: { signal: 'node.memory.available', of: 'nodes', by: 'node' },
    stalled: { signal: 'node.memory.pressure', of: 'nodes', by: 'node', optional: true },
    memoryCondition: { signal: 'node.condition.memory', of: 'nodes', by: 'node', optional: true },
    disk: { signal: 'node.disk.used_ratio', of: 'nodes', by: 'node', optional: true },
    diskCondition: { signal: 'node.condition.disk', of: 'nodes', by: 'node', optional: true },
    retransmits: { signal: 'node.net.retransmits', of: 'nodes', by: 'node', optional: true },
    drops: { signal: 'node.net.drops', of: 'nodes', by: 'node', optional: true },
  },
  judge(context, readings) {
    const { focus, estate } = context;
    const none = { findings: [], hypotheses: [], ruledOut: [] };
    if (focus.nodes.length === 0)
      return { status: 'not-applicable', summary: 'Trifocal does not know on which nodes it runs.', ...none };
    const seen = focus.nodes.filter((node) => has(readings.cpu.of(node.ref)) || has(readings.memory.of(node.ref)));
    if (seen.length === 0)
      return { status: 'unknown', summary: 'CPU and memory of its nodes are not collected.', ...none };
    const hypotheses = focus.nodes.flatMap((node) => troublesOf(node.ref, context, readings));
    const strained = seen.flatMap((node) => strainOf(node.ref, readings));
    const findings = [
      ...hypotheses,
      ...strained.map((s) => ({
        entity: s.entity,
        summary: `${nameOf(estate, s.entity)} ${s.what}.`,
        cites: supports(...s.readings),
      })),
    ].map((item) => ({
      severity: 'warning' as const,
      entity: item.entity,
      summary: item.summary,
      cites: item.cites,
    }));
    if (findings.length > 0)
      return {
        status: 'problem',
        summary: findings
          .slice(0, 2)
          .map((f) => f.summary)
          .join(' '),
        findings,
        hypotheses,
        ruledOut: [],
      };
    const busiest = Math.max(...seen.map((node) => readings.cpu.of(node.ref)?.during ?? 0));
    const least = Math.min(...seen.map((node) => readings.memory.of(node.ref)?.during ?? 1));
    const cites = contradicts(
      ...seen.slice(0, 3).flatMap((node) => [readings.cpu.of(node.ref), readings.memory.of(node.ref)]),
    );
    const because = `its ${counted(seen.length, 'node')} ${seen.length === 1 ? 'has' : 'have'} CPU at most ${amount(busiest, 'ratio')} used and at least ${amount(least, 'ratio')} of memory available`;
    return {
      status: 'ok',
      summary: `No pressure: CPU at most ${amount(busiest, 'ratio')} used, memory at least ${amount(least, 'ratio')} available on ${counted(seen.length, 'node')}.`,
      ...none,
      ruledOut: (['noisy-neighbour', 'node-memory-pressure'] as const).map((mechanism) => ({
        mechanism,
        entity: focus.self.ref,
        because,
        cites,
      })),
    };
  },
});

type Inputs = Record<
  | 'cpu'
  | 'waiting'
  | 'steal'
  | 'memory'
  | 'stalled'
  | 'memoryCondition'
  | 'disk'
  | 'diskCondition'
  | 'retransmits'
  | 'drops',
  Readings
>;

function troublesOf(node: string, context: CheckContext, readings: Inputs): Hypothesis[] {
  const pods = context.focus.pods.filter((pod) =>
    context.estate.to(pod.ref, 'runs-on', 'node').some((on) => on.ref === node),
  );
  const name = nameOf(context.estate, node);
  const hypothesis = (
    mechanism: Mechanism,
    strength: number,
    what: string,
    lead: Reading | undefined,
    direction: 'up' | 'down',
    ...more: (Reading | undefined)[]
  ): Hypothesis => {
    const shift = lead && shiftOf(lead, context.frame, direction);
    return {
      mechanism,
      entity: node,
      strength,
      since: shift && timeAt(context.frame, shift.start),
      pods: pods.map((pod) => pod.ref),
      via: [node, ...pods.slice(0, 1).map((pod) => pod.ref)],
      summary: `${name} ${what}.`,
      cites: supports(lead, ...more),
    };
  };
  const of = (key: keyof Inputs) => readings[key].of(node);
  const found: Hypothesis[] = [];
  const [steal, memory, stalled, disk, retransmits, drops] = [
    of('steal'),
    of('memory'),
    of('stalled'),
    of('disk'),
    of('retransmits'),
    of('drops'),
  ];
  if (has(steal) && steal.during >= NODE_STEAL && difference(steal) >= NODE_STEAL / 2) {
    found.push(
      hypothesis(
        'vm-steal',
        0.85,
        `loses ${amount(steal.during, 'ratio')} of its CPU time to its host`,
        steal,
        'up',
        of('cpu'),
      ),
    );
  }
  const pressed = (of('memoryCondition')?.during ?? 0) > 0;
  if (has(memory) && (pressed || memory.during < NODE_MEMORY_LOW) && difference(memory) < -0.05) {
    found.push(
      hypothesis(
        'node-memory-pressure',
        pressed ? 0.9 : 0.75,
        `is running out of memory: ${amount(memory.during, 'ratio')} available`,
        memory,
        'down',
        stalled,
        of('memoryCondition'),
      ),
    );
  }
  if (has(disk) && (of('diskCondition')?.during ?? 0) > 0 && disk.during >= DISK_FULL - 0.05) {
    found.push(
      hypothesis(
        'disk-pressure',
        0.9,
        `is under disk pressure: ${amount(disk.during, 'ratio')} used`,
        disk,
        'up',
        of('diskCondition'),
      ),
    );
  }
  if (has(retransmits) && retransmits.during >= RETRANSMITS && !(retransmits.before > retransmits.during / 3)) {
    found.push(
      hypothesis(
        'node-packet-loss',
        has(drops) && drops.during > 1 ? 0.9 : 0.75,
        `sends ${amount(retransmits.during, 'ratio')} of TCP segments again`,
        retransmits,
        'up',
        drops,
      ),
    );
  }
  return found;
}

/** Bad states that name no cause by themselves: who takes the CPU is for another check. */
function strainOf(node: string, readings: Inputs): { entity: string; what: string; readings: Reading[] }[] {
  const cpu = readings.cpu.of(node);
  const waiting = readings.waiting.of(node);
  const high = has(cpu) && cpu.during >= NODE_CPU_HIGH;
  const pressed = has(waiting) && waiting.during >= NODE_PRESSURE && difference(waiting) >= NODE_PRESSURE / 2;
  if (!high && !pressed) return [];
  const what = [
    high ? `uses ${amount(cpu.during, 'ratio')} of its CPU` : '',
    pressed ? `tasks wait for CPU ${amount(waiting.during, 'ratio')} of the time` : '',
  ]
    .filter(Boolean)
    .join(' and ');
  return [{ entity: node, what, readings: [cpu, waiting].filter((r) => r !== undefined) }];
}
