import { type EntityRef, type EstateSnapshot, findSignal, membersOf } from '../../../model/index.ts';
import type { EvidenceAnswer, EvidenceRequest, EvidenceSource } from '../evidence.ts';
import { random } from './random.ts';

/** A signal of one entity that goes from one level to another at a time, and back if it says until when. */
export interface Move {
  signal: string;
  entity: EntityRef;
  to: number;
  at: number;
  until?: number;
}

export interface InMemory {
  estate: EstateSnapshot;
  moves: readonly Move[];
  /** Signals that nobody collects. */
  absent?: RegExp;
  /** Series that end, as when an exporter dies. */
  ends?: readonly { entity: EntityRef; signal: RegExp; at: number }[];
  seed?: number;
  /** A share of all points is lost. */
  lost?: number;
  /** Points in milliseconds: coarser scrapes leave holes in a finer grid. */
  scrape?: number;
}

/** Usual values of a busy, healthy server: cards at 98 %, no queue, clocks at their peak. */
const USUAL: Readonly<Record<string, number>> = {
  'inference.requests': 2, 'inference.errors': 0, 'inference.ttft': 0.6, 'inference.itl': 0.024, 'inference.e2e': 6,
  'inference.queue_time': 0.02, 'inference.prefill_time': 0.4, 'inference.decode_time': 5, 'inference.running': 12,
  'inference.waiting': 0, 'inference.kv_usage': 0.6, 'inference.prefix_hit_ratio': 0.4, 'inference.preemptions': 0,
  'inference.output_tokens': 420, 'inference.prompt_length': 2700, 'inference.output_length': 420,
  'gpu.utilization': 0.98, 'gpu.sm_clock': 1980, 'gpu.temperature': 64, 'gpu.power': 610, 'gpu.power.limit': 700,
  'gpu.throttle.thermal': 0, 'gpu.throttle.power': 0, 'gpu.memory.used': 73e9, 'gpu.memory.total': 80e9, 'gpu.xid': 0,
  'gpu.tensor_active': 0.4, 'gpu.pcie.replays': 0, 'gpu.nvlink.errors': 0, 'gpu.ecc.uncorrected': 0, 'container.restarts': 0, 'container.ready': 1, 'container.oom': 0, 'container.image_pull_failing': 0,
  'container.cpu.throttled_ratio': 0.01, 'container.cpu.usage': 3, 'container.memory.working_set': 40e9,
  'container.memory.limit': 64e9, 'pod.unschedulable': 0, 'node.cpu.usage': 0.35, 'node.cpu.pressure': 0.02, 'node.cpu.steal': 0,
  'node.memory.available': 0.6, 'node.memory.pressure': 0, 'node.condition.memory': 0, 'node.disk.used_ratio': 0.4,
  'node.condition.disk': 0, 'node.net.retransmits': 0.0003, 'node.net.drops': 0, 'node.unschedulable': 0, 'node.clock_offset': 0.0001,
  'workload.desired': 3, 'workload.ready': 3, 'telemetry.up': 1, 'service.duration': 4, 'service.requests': 6, 'service.errors': 0,
}; // biome-ignore format: a table to read

/** What never wavers: states, counts that are configuration, and codes. */
const EXACT = /^(workload\.|container\.(restarts|ready|oom|image|memory\.limit)|pod\.|telemetry\.|gpu\.(xid|memory|power\.limit)|node\.(condition|unschedulable))/;

/** Evidence from functions of time instead of a store. Coarser entities are folded from their members as the catalogue says. */
export function signalsInMemory(world: InMemory): EvidenceSource & { asked: EvidenceRequest[] } {
  const asked: EvidenceRequest[] = [];
  return {
    asked,
    spent: () => ({ queries: asked.length, seconds: 0 }),
    async fetch(request) {
      asked.push(request);
      return answer(world, request);
    },
  };
}

function answer(world: InMemory, request: EvidenceRequest): EvidenceAnswer {
  const signal = findSignal(request.signal);
  const missing = { signal: request.signal, entity: request.of[0] ?? '', why: 'nobody collects it', fix: `Collect ${request.signal}.` };
  const usual = USUAL[request.signal];
  const queries: EvidenceAnswer['queries'] = [{ system: 'memory', language: 'promql', text: request.signal }];
  if (!signal || usual === undefined || world.absent?.test(request.signal)) return { unit: '', series: [], queries, missing: [missing] };
  const homes = request.of.flatMap((ref) => {
    const entity = world.estate.get(ref);
    return entity ? membersOf(world.estate, entity, signal.home === 'exporter' ? 'pod' : signal.home) : [];
  });
  const each = homes.map((home) => ({ entity: home.ref, values: seriesOf(world, request, home.ref, usual) }));
  if (each.length === 0) return { unit: signal.unit, series: [], queries, missing: [missing] };
  const series = request.by ? each : [{ entity: request.of[0] ?? '', values: fold(each.map((s) => s.values), foldOf(signal.aggregate, request)) }];
  const present = series.filter((s) => s.values.some(Number.isFinite));
  return { unit: signal.unit, series: present.map((s) => ({ ...s, labels: {} })), queries, missing: present.length > 0 ? [] : [missing] };
}

function seriesOf(world: InMemory, request: EvidenceRequest, entity: EntityRef, usual: number): Float64Array {
  const noise = random(hash(`${request.signal} ${entity}`) + (world.seed ?? 0));
  const sway = EXACT.test(request.signal) ? 0 : request.signal.startsWith('gpu.') ? 0.01 : request.signal.startsWith('inference.') ? 0.08 : 0.03;
  const moves = world.moves.filter((move) => move.signal === request.signal && move.entity === entity);
  const end = world.ends?.find((e) => e.entity === entity && e.signal.test(request.signal));
  const points = Math.floor((request.to - request.from) / request.step) + 1;
  return Float64Array.from({ length: points }, (_, i) => {
    const time = request.from + i * request.step;
    const [dice, wobble] = [noise.uniform(), noise.normal()];
    if (end && time >= end.at) return Number.NaN;
    if (dice < (world.lost ?? 0)) return Number.NaN;
    const seen = world.scrape ? Math.floor(time / world.scrape) * world.scrape : time;
    const level = moves.reduce((value, move) => (seen >= move.at && seen < (move.until ?? Number.POSITIVE_INFINITY) ? move.to : value), usual);
    return level * Math.exp(sway * wobble);
  });
}

/** The 95th percentile over replicas of equal load follows the slowest one as soon as it has a twentieth of the requests. */
function foldOf(aggregate: string, request: EvidenceRequest): 'sum' | 'mean' | 'max' | 'min' {
  if (aggregate === 'quantile') return request.stat === 'mean' ? 'mean' : 'max';
  return aggregate === 'sum' || aggregate === 'max' || aggregate === 'min' ? aggregate : 'mean';
}

function fold(all: readonly Float64Array[], how: 'sum' | 'mean' | 'max' | 'min'): Float64Array {
  return Float64Array.from({ length: all[0]?.length ?? 0 }, (_, i) => {
    const values = all.map((series) => series[i] ?? Number.NaN).filter(Number.isFinite);
    if (values.length === 0) return Number.NaN;
    if (how === 'max') return Math.max(...values);
    if (how === 'min') return Math.min(...values);
    const total = values.reduce((a, b) => a + b, 0);
    return how === 'sum' ? total : total / values.length;
  });
}

function hash(text: string): number {
  return [...text].reduce((h, c) => (Math.imul(h, 31) + c.charCodeAt(0)) | 0, 7);
}
