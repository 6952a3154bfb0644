import type { CanonicalSignal, HomeKind, SignalLayer } from './signal.ts';

/** Every canonical signal. Those that no system of the catalogue gives are still named here, so that they can be reported as unseen. */
export const SIGNALS: readonly CanonicalSignal[] = [
  ...group('serving', 'pod', {
    'inference.requests': counter('1/s', 'neutral', 'Requests finished'),
    'inference.errors': counter('1/s', 'up-is-bad', 'Requests that the engine or its API front end failed'),
    'inference.ttft': distribution('s', 'Time from arrival to the first output token, queue and prefill included'),
    'inference.itl': distribution('s', 'Time between one output token and the next'),
    'inference.e2e': distribution('s', 'Time from arrival to the last token'),
    'inference.queue_time': distribution('s', 'Time a request waits in the engine before it is scheduled'),
    'inference.prefill_time': distribution('s', 'Time from being scheduled to the first token'),
    'inference.decode_time': distribution('s', 'Time from the first token to the last'),
    'inference.running': gauge('1', 'neutral', 'sum', 'Requests in the running batch'),
    'inference.waiting': gauge('1', 'up-is-bad', 'sum', 'Requests waiting to be scheduled'),
    'inference.kv_usage': gauge('ratio', 'up-is-bad', 'mean', 'Share of KV-cache blocks in use'),
    'inference.prefix_hit_ratio': share('down-is-bad', 'Share of prompt tokens found in the prefix cache'),
    'inference.preemptions': counter('1/s', 'up-is-bad', 'Running requests pushed back for lack of KV-cache blocks'),
    'inference.prompt_tokens': counter('1/s', 'neutral', 'Prompt tokens processed'),
    'inference.output_tokens': counter('1/s', 'down-is-bad', 'Output tokens produced'),
    'inference.prompt_length': distribution('1', 'Prompt tokens of a request'),
    'inference.output_length': distribution('1', 'Output tokens of a request'),
    'inference.spec_acceptance': share('down-is-bad', 'Share of drafted tokens accepted in speculative decoding'),
    'inference.adapter_loads': counter('1/s', 'up-is-bad', 'LoRA adapters loaded'),
    'inference.finish_reason': share('up-is-bad', 'Share of requests that ended at their length limit'),
    'inference.load_time': gauge('s', 'up-is-bad', 'max', 'Time the model took to load'),
  }),
  ...group('infrastructure', 'gpu', {
    'gpu.utilization': gauge(
      'ratio',
      'neutral',
      'mean',
      'Share of time in which any kernel was resident; full does not mean busy',
    ),
    'gpu.memory.used': gauge('bytes', 'neutral', 'sum', 'Frame buffer used'),
    'gpu.memory.total': gauge('bytes', 'neutral', 'sum', 'Frame buffer of the card'),
    'gpu.sm_clock': gauge('MHz', 'down-is-bad', 'mean', 'Clock of the streaming multiprocessors'),
    'gpu.temperature': gauge('°C', 'up-is-bad', 'max', 'Core temperature'),
    'gpu.power': gauge('W', 'neutral', 'sum', 'Power drawn'),
    'gpu.power.limit': gauge('W', 'neutral', 'sum', 'Enforced power limit'),
    'gpu.throttle.thermal': gauge(
      'ratio',
      'up-is-bad',
      'max',
      'Share of time in which clocks were held down for temperature',
    ),
    'gpu.throttle.power': gauge(
      'ratio',
      'neutral',
      'max',
      'Share of time in which clocks were held down by the power cap',
    ),
    'gpu.sm_active': gauge('ratio', 'neutral', 'mean', 'Share of cycles with work on a streaming multiprocessor'),
    'gpu.tensor_active': gauge('ratio', 'neutral', 'mean', 'Share of cycles in which tensor cores were active'),
    'gpu.dram_active': gauge('ratio', 'neutral', 'mean', 'Share of cycles in which memory moved data'),
    'gpu.pcie.replays': counter('1/s', 'up-is-bad', 'PCIe packets sent again'),
    'gpu.pcie.throughput': gauge('B/s', 'neutral', 'sum', 'Bytes over PCIe in both directions'),
    'gpu.nvlink.errors': counter('1/s', 'up-is-bad', 'CRC, replay and recovery errors on NVLink'),
    'gpu.xid': gauge(
      '1',
      'up-is-bad',
      'max',
      'Code of the last XID error; it stays after recovery, so only a change is news',
    ),
    'gpu.ecc.uncorrected': counter('1/s', 'up-is-bad', 'Uncorrectable memory errors'),
    'gpu.rows.remapped': gauge('1', 'up-is-bad', 'sum', 'Memory rows remapped after uncorrectable errors'),
  }),
  ...group('kubernetes', 'pod', {
    'container.cpu.usage': counter('cores', 'neutral', 'CPU used'),
    'container.cpu.throttled_ratio': share(
      'up-is-bad',
      'Share of scheduling periods in which the CPU limit stopped the container',
    ),
    'container.memory.working_set': gauge('bytes', 'neutral', 'sum', 'Memory that counts against the limit'),
    'container.memory.limit': gauge('bytes', 'neutral', 'sum', 'Memory limit'),
    'container.restarts': gauge('1', 'up-is-bad', 'sum', 'Container restarts since the pod was made'),
    'container.oom': gauge('1', 'up-is-bad', 'max', '1 when the last termination of a container was OOMKilled'),
    'container.ready': gauge('ratio', 'down-is-bad', 'mean', 'Share of containers that are ready'),
    'container.image_pull_failing': gauge(
      '1',
      'up-is-bad',
      'max',
      '1 while a container waits for an image that cannot be pulled',
    ),
    'container.crash_looping': gauge('1', 'up-is-bad', 'max', '1 while a container waits in crash-loop back-off'),
    'pod.phase': gauge('1', 'down-is-bad', 'sum', 'Pods in phase Running'),
    'pod.unschedulable': gauge('1', 'up-is-bad', 'max', '1 while the scheduler finds no place for the pod'),
    'pod.scheduled_latency': gauge('s', 'up-is-bad', 'max', 'Time from creation to being scheduled'),
  }),
  ...group('infrastructure', 'node', {
    'node.cpu.usage': gauge('ratio', 'up-is-bad', 'mean', 'Share of CPU time not idle'),
    'node.cpu.steal': gauge('ratio', 'up-is-bad', 'mean', 'Share of CPU time that the hypervisor took'),
    'node.cpu.pressure': gauge('ratio', 'up-is-bad', 'max', 'Share of time in which some task waited for CPU (PSI)'),
    'node.memory.available': gauge('ratio', 'down-is-bad', 'min', 'Share of memory available without swapping'),
    'node.memory.pressure': gauge(
      'ratio',
      'up-is-bad',
      'max',
      'Share of time in which some task waited for memory (PSI)',
    ),
    'node.disk.used_ratio': gauge('ratio', 'up-is-bad', 'max', 'Used share of the fullest writable file system'),
    'node.disk.io_time': gauge('ratio', 'up-is-bad', 'max', 'Share of time in which the busiest disk had work'),
    'node.net.retransmits': gauge('ratio', 'up-is-bad', 'max', 'Share of TCP segments sent again'),
    'node.net.drops': counter('1/s', 'up-is-bad', 'Packets dropped by network interfaces'),
    'node.clock_offset': gauge('s', 'up-is-bad', 'max', 'Distance of the clock from its time source'),
    'node.hardware.errors': counter('1/s', 'up-is-bad', 'Uncorrectable errors of host memory'),
  }),
  ...group('kubernetes', 'node', {
    'node.ready': gauge('1', 'down-is-bad', 'min', '1 while the node is Ready'),
    'node.condition.memory': gauge('1', 'up-is-bad', 'max', '1 while the kubelet reports MemoryPressure'),
    'node.condition.disk': gauge('1', 'up-is-bad', 'max', '1 while the kubelet reports DiskPressure'),
    'node.unschedulable': gauge('1', 'neutral', 'max', '1 while the node is cordoned'),
  }),
  ...group('kubernetes', 'workload', {
    'workload.desired': gauge('1', 'neutral', 'sum', 'Replicas wanted'),
    'workload.ready': gauge('1', 'down-is-bad', 'sum', 'Replicas ready'),
    'workload.unavailable': gauge('1', 'up-is-bad', 'sum', 'Replicas wanted but not available'),
    'workload.hpa.desired': gauge('1', 'neutral', 'sum', 'Replicas that the autoscaler wants'),
    'workload.hpa.max': gauge('1', 'neutral', 'sum', 'Most replicas that the autoscaler may ask for'),
  }),
  ...group('application', 'service', {
    'service.requests': counter('1/s', 'neutral', 'Requests answered'),
    'service.errors': counter('1/s', 'up-is-bad', 'Requests that failed'),
    'service.duration': distribution('s', 'Time to answer a request'),
    'edge.requests': counter('1/s', 'neutral', 'Calls from a service to another'),
    'edge.errors': counter('1/s', 'up-is-bad', 'Failed calls from a service to another'),
    'edge.duration': distribution('s', 'Time a call from a service to another takes, seen by the caller'),
  }),
  ...group('telemetry', 'pod', {
    'telemetry.up': gauge('1', 'down-is-bad', 'min', '1 when the last scrape succeeded'),
    'telemetry.scrape_duration': gauge('s', 'up-is-bad', 'max', 'Time the last scrape took'),
    'telemetry.series': gauge('1', 'neutral', 'sum', 'Series that the last scrape brought'),
  }),
  ...group('telemetry', 'collector', {
    'telemetry.lag': gauge('s', 'up-is-bad', 'max', 'Age of the newest sample'),
    'telemetry.dropped': counter('1/s', 'up-is-bad', 'Signals dropped on the way'),
    'telemetry.sampling_ratio': gauge('ratio', 'neutral', 'mean', 'Share of traces kept'),
  }),
];

const BY_NAME = new Map(SIGNALS.map((signal) => [signal.name, signal]));

export function findSignal(name: string): CanonicalSignal | undefined {
  return BY_NAME.get(name);
}

type Part = Omit<CanonicalSignal, 'name' | 'layer' | 'home'>;

function group(layer: SignalLayer, home: HomeKind, signals: Record<string, Part>): CanonicalSignal[] {
  return Object.entries(signals).map(([name, part]) => ({ name, layer, home, ...part }));
}

function distribution(unit: string, meaning: string): Part {
  return {
    unit,
    meaning,
    direction: unit === 's' ? 'up-is-bad' : 'neutral',
    shape: 'distribution',
    aggregate: 'quantile',
  };
}

function counter(unit: string, direction: CanonicalSignal['direction'], meaning: string): Part {
  return { unit, meaning, direction, shape: 'counter', aggregate: 'sum' };
}

function share(direction: CanonicalSignal['direction'], meaning: string): Part {
  return { unit: 'ratio', meaning, direction, shape: 'gauge', aggregate: 'share' };
}

function gauge(
  unit: string,
  direction: CanonicalSignal['direction'],
  aggregate: 'sum' | 'mean' | 'max' | 'min',
  meaning: string,
): Part {
  return { unit, meaning, direction, shape: 'gauge', aggregate };
}
