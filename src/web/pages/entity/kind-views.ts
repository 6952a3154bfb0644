import type { EntityDetail } from '../../../api/contract/index.ts';
import type { EntityKind } from '../../../model/index.ts';
import type { PanelSignal } from '../../charts/signal-panel.tsx';
import { isReplica } from './use-answer.ts';

export interface NumberPlan {
  label: string;
  signal: string;
  stat?: 'p95';
  unit?: string;
  /** Shown as a share of this signal, or beside it. */
  of?: string;
  by?: EntityKind;
  /** A fact to show when the signal is not there, and its unit. */
  fact?: string;
}

export interface PanelPlan {
  title: string;
  unit?: string;
  signals: readonly Omit<PanelSignal, 'entity'>[];
}

/** What the page of a kind shows: its three numbers and its charts. */
export interface KindView {
  numbers: readonly NumberPlan[];
  panels: readonly PanelPlan[];
  /** Panels that only some of a kind have. */
  when?: (entity: EntityDetail) => readonly PanelPlan[];
  hasLogs: boolean;
  hasTraces: boolean;
}

const one = (title: string, name: string, more: Partial<PanelPlan & Omit<PanelSignal, 'entity'>> = {}): PanelPlan => {
  const { unit, by, stat, label, slot } = more;
  return {
    title,
    ...(unit ? { unit } : {}),
    signals: [
      {
        name,
        ...(by ? { by } : {}),
        ...(stat ? { stat } : {}),
        ...(label ? { label } : {}),
        ...(slot === undefined ? {} : { slot }),
      },
    ],
  };
};

const GPU_BY_CARD: readonly PanelPlan[] = [
  one('GPU activity', 'gpu.sm_active', { by: 'gpu' }),
  one('SM clock', 'gpu.sm_clock', { by: 'gpu' }),
  one('GPU temperature', 'gpu.temperature', { by: 'gpu' }),
  one('GPU power', 'gpu.power', { by: 'gpu' }),
  one('GPU memory used', 'gpu.memory.used', { by: 'gpu' }),
  one('Throttled for heat', 'gpu.throttle.thermal', { by: 'gpu' }),
];

const CONTAINERS: readonly PanelPlan[] = [
  one('CPU used', 'container.cpu.usage', { label: 'used', slot: 0 }),
  one('CPU throttled', 'container.cpu.throttled_ratio', { label: 'throttled', slot: 1 }),
  {
    title: 'Memory',
    signals: [
      { name: 'container.memory.working_set', label: 'working set', slot: 0 },
      { name: 'container.memory.limit', label: 'limit', slot: 1 },
    ],
  },
  one('Restarts', 'container.restarts', { label: 'restarts', slot: 3 }),
];

const ENGINE: readonly PanelPlan[] = [
  {
    title: 'Time to first token',
    signals: [
      { name: 'inference.ttft', stat: 'p50', label: 'p50', slot: 0 },
      { name: 'inference.ttft', stat: 'p95', label: 'p95', slot: 1 },
    ],
  },
  {
    title: 'Inter-token latency',
    signals: [
      { name: 'inference.itl', stat: 'p50', label: 'p50', slot: 0 },
      { name: 'inference.itl', stat: 'p95', label: 'p95', slot: 1 },
    ],
  },
  {
    title: 'Requests running and waiting',
    unit: 'requests',
    signals: [
      { name: 'inference.running', label: 'running', slot: 2 },
      { name: 'inference.waiting', label: 'waiting', slot: 1 },
    ],
  },
  one('KV cache use', 'inference.kv_usage', { label: 'in use', slot: 0 }),
];

const hasGpus = ({ facts, relations }: EntityDetail) =>
  (typeof facts.gpus === 'number' && facts.gpus > 0) || relations.some((r) => r.kind === 'uses');

const VIEWS: Partial<Record<EntityKind, KindView>> = {
  pod: {
    numbers: [
      { label: 'containers ready', signal: 'container.ready' },
      { label: 'CPU throttled', signal: 'container.cpu.throttled_ratio' },
      { label: 'memory of limit', signal: 'container.memory.working_set', of: 'container.memory.limit' },
    ],
    panels: [],
    when: (entity) => [...(isReplica(entity) ? ENGINE : []), ...(hasGpus(entity) ? GPU_BY_CARD : []), ...CONTAINERS],
    hasLogs: true,
    hasTraces: true,
  },
  container: {
    numbers: [
      { label: 'CPU used', signal: 'container.cpu.usage' },
      { label: 'CPU throttled', signal: 'container.cpu.throttled_ratio' },
      { label: 'memory of limit', signal: 'container.memory.working_set', of: 'container.memory.limit' },
    ],
    panels: CONTAINERS,
    hasLogs: true,
    hasTraces: false,
  },
  workload: {
    numbers: [
      { label: 'replicas ready', signal: 'workload.ready', of: 'workload.desired', fact: 'ready' },
      { label: 'CPU throttled', signal: 'container.cpu.throttled_ratio' },
      { label: 'memory of limit', signal: 'container.memory.working_set', of: 'container.memory.limit' },
    ],
    panels: [
      {
        title: 'Replicas',
        unit: '1',
        signals: [
          { name: 'workload.desired', label: 'wanted', slot: 0 },
          { name: 'workload.ready', label: 'ready', slot: 1 },
        ],
      },
      one('CPU used by pod', 'container.cpu.usage', { by: 'pod' }),
      one('CPU throttled by pod', 'container.cpu.throttled_ratio', { by: 'pod' }),
      one('Memory by pod', 'container.memory.working_set', { by: 'pod' }),
      one('Restarts by pod', 'container.restarts', { by: 'pod' }),
    ],
    when: (entity) => (hasGpus(entity) ? GPU_BY_CARD : []),
    hasLogs: true,
    hasTraces: true,
  },
  node: {
    numbers: [
      { label: 'CPU used', signal: 'node.cpu.usage' },
      { label: 'memory available', signal: 'node.memory.available' },
      { label: 'time waiting for CPU', signal: 'node.cpu.pressure' },
    ],
    panels: [
      {
        title: 'CPU',
        signals: [
          { name: 'node.cpu.usage', label: 'used', slot: 0 },
          { name: 'node.cpu.steal', label: 'stolen', slot: 3 },
        ],
      },
      one('Memory available', 'node.memory.available', { label: 'available', slot: 0 }),
      {
        title: 'Pressure (some task waited)',
        signals: [
          { name: 'node.cpu.pressure', label: 'CPU', slot: 0 },
          { name: 'node.memory.pressure', label: 'memory', slot: 3 },
        ],
      },
      {
        title: 'Disk',
        signals: [
          { name: 'node.disk.used_ratio', label: 'fullest file system', slot: 1 },
          { name: 'node.disk.io_time', label: 'busiest disk', slot: 2 },
        ],
      },
      one('TCP retransmits', 'node.net.retransmits', { label: 'sent again', slot: 0 }),
      one('Packets dropped', 'node.net.drops', { label: 'dropped', slot: 0 }),
    ],
    when: (entity) => (hasGpus(entity) ? GPU_BY_CARD : []),
    hasLogs: false,
    hasTraces: false,
  },
  gpu: {
    numbers: [
      { label: 'SM activity', signal: 'gpu.sm_active' },
      { label: 'memory used', signal: 'gpu.memory.used', of: 'gpu.memory.total' },
      { label: 'SM clock', signal: 'gpu.sm_clock' },
    ],
    panels: [
      {
        title: 'Activity',
        signals: [
          { name: 'gpu.utilization', label: 'any kernel', slot: 11 },
          { name: 'gpu.sm_active', label: 'SM', slot: 0 },
          { name: 'gpu.tensor_active', label: 'tensor', slot: 1 },
          { name: 'gpu.dram_active', label: 'memory', slot: 2 },
        ],
      },
      one('SM clock', 'gpu.sm_clock', { label: 'clock', slot: 0 }),
      one('Temperature', 'gpu.temperature', { label: 'core', slot: 3 }),
      {
        title: 'Power',
        signals: [
          { name: 'gpu.power', label: 'drawn', slot: 0 },
          { name: 'gpu.power.limit', label: 'limit', slot: 1 },
        ],
      },
      {
        title: 'Time throttled',
        signals: [
          { name: 'gpu.throttle.thermal', label: 'for heat', slot: 3 },
          { name: 'gpu.throttle.power', label: 'for power', slot: 0 },
        ],
      },
      {
        title: 'Memory',
        signals: [
          { name: 'gpu.memory.used', label: 'used', slot: 0 },
          { name: 'gpu.memory.total', label: 'of', slot: 1 },
        ],
      },
      one('PCIe throughput', 'gpu.pcie.throughput', { label: 'both ways', slot: 0 }),
      one('PCIe replays', 'gpu.pcie.replays', { label: 'replays', slot: 0 }),
      one('Uncorrectable memory errors', 'gpu.ecc.uncorrected', { label: 'errors', slot: 3 }),
    ],
    hasLogs: false,
    hasTraces: false,
  },
  service: {
    numbers: [
      { label: 'requests', signal: 'service.requests', unit: 'requests/s' },
      { label: 'failed', signal: 'service.errors', of: 'service.requests' },
      { label: 'duration p95', signal: 'service.duration', stat: 'p95' },
    ],
    panels: [
      {
        title: 'Requests',
        unit: 'requests/s',
        signals: [
          { name: 'service.requests', label: 'answered', slot: 0 },
          { name: 'service.errors', label: 'failed', slot: 3 },
        ],
      },
      {
        title: 'Duration',
        signals: [
          { name: 'service.duration', stat: 'p50', label: 'p50', slot: 0 },
          { name: 'service.duration', stat: 'p95', label: 'p95', slot: 1 },
          { name: 'service.duration', stat: 'p99', label: 'p99', slot: 3 },
        ],
      },
    ],
    hasLogs: true,
    hasTraces: true,
  },
};

const OTHER: KindView = { numbers: [], panels: [], hasLogs: true, hasTraces: false };

export function viewOf(kind: EntityKind): KindView {
  return VIEWS[kind] ?? OTHER;
}
