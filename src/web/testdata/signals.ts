/** Values of canonical signals over time for the demo estate: smooth daily shapes with noise, and the fault's consequences. */
import type { SignalResponse } from '../../api/contract/index.ts';
import { findSignal } from '../../model/index.ts';
import { type EntityOut, HOT_GPU, type MockEstate, SLOW_POD } from './estate.ts';

interface Question {
  name: string;
  entity: string;
  by: string | undefined;
  stat: string;
  from: number;
  to: number;
  step: number;
}

/** null where nothing is collected for that entity. */
type Value = (entity: EntityOut, seconds: number, trouble: number) => number | null;

const STAT: Record<string, number> = { p50: 0.62, p90: 0.92, p95: 1, p99: 1.32, mean: 0.66 };

export function answerSignal(estate: MockEstate, q: Question): SignalResponse {
  const info = findSignal(q.name);
  const value = VALUES[q.name];
  const subject = estate.entities.find((e) => e.ref === q.entity.replace(/^model:/, 'workload:'));
  const members = subject ? membersOf(estate, subject, q.by) : [];
  const scale = info?.shape === 'distribution' && info.unit === 's' ? (STAT[q.stat] ?? 1) : 1;
  const series = !value
    ? []
    : members
        .map((member) => ({
          entity: member.ref,
          labels: { [member.kind]: member.name },
          points: pointsOf(estate, member, q, (e, t, trouble) => {
            const v = value(e, t, trouble);
            return v === null ? null : v * scale;
          }),
        }))
        .filter((s) => s.points.some(([, v]) => v !== null));
  return {
    unit: q.stat === 'rate' ? '1/s' : (info?.unit ?? ''),
    step: q.step,
    series,
    sources: [{ system: 'embedded', language: 'promql', query: `# ${q.name} of ${q.entity}\nhistogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{namespace="inference"}[1m])))` }],
    missing: series.length > 0 ? [] : [{ signal: q.name, entity: q.entity, why: 'No series of this signal were received for this entity.', fix: 'Scrape the exporter that gives it, see Telemetry.' }],
  };
}

function membersOf(estate: MockEstate, subject: EntityOut, by: string | undefined): EntityOut[] {
  if (!by || by === subject.kind) return [subject];
  const seen = new Set<string>([subject.ref]);
  const queue = [subject.ref];
  for (let ref = queue.shift(); ref !== undefined; ref = queue.shift()) {
    for (const r of estate.relations) {
      if (r.from !== ref || seen.has(r.to) || (r.kind !== 'contains' && r.kind !== 'uses')) continue;
      seen.add(r.to);
      queue.push(r.to);
    }
  }
  return estate.entities.filter((e) => e.kind === by && seen.has(e.ref));
}

function pointsOf(estate: MockEstate, entity: EntityOut, q: Question, value: Value): [number, number | null][] {
  const points: [number, number | null][] = [];
  for (let t = Math.ceil(q.from / 1000 / q.step) * q.step; t <= q.to / 1000; t += q.step) {
    const isGap = t * 1000 < estate.startedMs || (entity.cluster === 'prod-us' && gapAt(estate, t));
    points.push([t, isGap ? null : value(entity, t, troubleAt(estate, entity, t))]);
  }
  return points;
}

function gapAt(estate: MockEstate, t: number): boolean {
  const minutes = (estate.faultMs / 1000 - t) / 60;
  return minutes > 8 && minutes < 13;
}

/** 0 without the fault, rising to 1 within two minutes of it, for what stands on the hot GPU. */
function troubleAt(estate: MockEstate, entity: EntityOut, t: number): number {
  const touched = entity.ref === HOT_GPU || entity.ref === SLOW_POD || (entity.cluster === 'prod-eu' && entity.name === 'llama-3-70b');
  if (!touched) return 0;
  return Math.max(0, Math.min(1, (t - estate.faultMs / 1000) / 120));
}

function noise(entity: EntityOut, t: number, salt: number, size: number): number {
  let hash = 7 + salt;
  for (const c of entity.ref) hash = (Math.imul(hash, 31) + c.charCodeAt(0)) >>> 0;
  const random = (n: number) => {
    const x = Math.sin(n * 12.9898 + hash * 0.0001) * 43758.5453;
    return x - Math.floor(x);
  };
  return 1 + size * (random(Math.floor(t / 15)) - 0.5 + 0.6 * Math.sin(t / 700 + hash));
}

const isUsed = (e: EntityOut) => Array.isArray(e.facts.allocations) && e.facts.allocations.length > 0;
const isLlama = (e: EntityOut) => e.name.startsWith('llama');
const isEngine = (e: EntityOut) => isLlama(e) || e.name.startsWith('qwen');
const isPod = (e: EntityOut) => e.kind === 'pod';
const replicas = (e: EntityOut) => (isPod(e) ? 1 : isLlama(e) ? 3 : 2);
const inference =
  (base: (e: EntityOut) => number, worse: number, salt: number, size = 0.25): Value =>
  (e, t, trouble) =>
    !isEngine(e) ? null : base(e) * (1 + trouble * (isPod(e) ? worse * 1.3 : worse)) * noise(e, t, salt, size);
const gpu =
  (value: (e: EntityOut, t: number, trouble: number) => number): Value =>
  (e, t, trouble) =>
    e.kind === 'gpu' ? value(e, t, trouble) : null;
const node =
  (base: number, size = 0.3): Value =>
  (e, t) =>
    e.kind === 'node' ? base * noise(e, t, base * 100, size) : null;
const service =
  (value: Value): Value =>
  (e, t, trouble) =>
    e.kind === 'service' || e.kind === 'workload' ? value(e, t, trouble) : null;

const VALUES: Record<string, Value> = {
  'inference.requests': inference((e) => (isLlama(e) ? 1.6 : 4.1) * replicas(e), -0.1, 1, 0.2),
  'inference.errors': inference((e) => (isLlama(e) ? 0.004 : 0), 1.5, 2, 0.8),
  'inference.ttft': inference((e) => (isLlama(e) ? 0.92 : 0.38), 3.4, 3),
  'inference.itl': inference((e) => (isLlama(e) ? 0.024 : 0.018), 1.6, 4, 0.15),
  'inference.e2e': inference((e) => (isLlama(e) ? 9.4 : 3.1), 2.1, 5),
  'inference.queue_time': inference(() => 0.02, 70, 6),
  'inference.prefill_time': inference((e) => (isLlama(e) ? 0.34 : 0.12), 0.3, 7),
  'inference.decode_time': inference((e) => (isLlama(e) ? 6.1 : 2.4), 1.9, 8),
  'inference.running': (e, t, x) => (isEngine(e) ? Math.round((isLlama(e) ? 14 : 9) * replicas(e) * (1 + x * 0.5) * noise(e, t, 9, 0.2)) : null),
  'inference.waiting': (e, t, x) => (isEngine(e) ? Math.round(x * (isPod(e) ? 31 : 46) * noise(e, t, 10, 0.3)) : null),
  'inference.kv_usage': (e, t, x) => (isEngine(e) ? Math.min(0.97, (isLlama(e) ? 0.68 : 0.41) * (1 + x * 0.4) * noise(e, t, 11, 0.12)) : null),
  'inference.prefix_hit_ratio': inference(() => 0.44, 0, 12, 0.1),
  'inference.preemptions': inference(() => 0.001, 40, 13, 0.6),
  'inference.prompt_tokens': inference((e) => (isLlama(e) ? 2900 : 3300) * replicas(e), -0.12, 14, 0.2),
  'inference.output_tokens': inference((e) => (isLlama(e) ? 1030 : 2950) * replicas(e), -0.3, 15, 0.15),
  'inference.prompt_length': inference(() => 1800, 0, 16, 0.2),
  'inference.output_length': inference(() => 410, 0, 17, 0.2),
  'gpu.utilization': gpu((e, t) => (isUsed(e) ? Math.min(1, 0.95 * noise(e, t, 20, 0.06)) : 0)),
  'gpu.sm_active': gpu((e, t, x) => (isUsed(e) ? Math.min(1, (0.71 + 0.2 * x) * noise(e, t, 21, 0.12)) : 0)),
  'gpu.tensor_active': gpu((e, t, x) => (isUsed(e) ? (0.42 - 0.2 * x) * noise(e, t, 22, 0.2) : 0)),
  'gpu.dram_active': gpu((e, t, x) => (isUsed(e) ? (0.55 - 0.2 * x) * noise(e, t, 23, 0.15) : 0)),
  'gpu.memory.used': gpu((e, t) => (isUsed(e) ? 73 * 2 ** 30 * noise(e, t, 24, 0.01) : 0.6 * 2 ** 30)),
  'gpu.memory.total': gpu(() => 80 * 2 ** 30),
  'gpu.sm_clock': gpu((e, t, x) => (isUsed(e) ? Math.round((1980 - 765 * x) * (x > 0 ? noise(e, t, 25, 0.06) : 1)) : 345)),
  'gpu.temperature': gpu((e, t, x) => Math.round(((isUsed(e) ? 66 : 34) + 25 * x) * noise(e, t, 26, 0.03))),
  'gpu.power': gpu((e, t, x) => ((isUsed(e) ? 588 : 72) - 190 * x) * noise(e, t, 27, 0.06)),
  'gpu.power.limit': gpu(() => 700),
  'gpu.throttle.thermal': gpu((_e, _t, x) => x * 0.62),
  'gpu.throttle.power': gpu(() => 0),
  'container.cpu.usage': (e, t) => (isPod(e) || e.kind === 'workload' ? 1.4 * noise(e, t, 30, 0.4) : null),
  'container.cpu.throttled_ratio': (e, t) => (isPod(e) || e.kind === 'workload' ? 0.012 * noise(e, t, 31, 0.6) : null),
  'container.memory.working_set': (e, t) => (isPod(e) || e.kind === 'workload' ? (isEngine(e) ? 41 : 0.8) * 2 ** 30 * noise(e, t, 32, 0.04) : null),
  'container.memory.limit': (e) => (isPod(e) || e.kind === 'workload' ? (isEngine(e) ? 64 : 2) * 2 ** 30 : null),
  'container.restarts': (e) => (isPod(e) || e.kind === 'workload' ? 0 : null),
  'container.ready': (e) => (isPod(e) || e.kind === 'workload' ? 1 : null),
  'workload.desired': (e) => (e.kind === 'workload' ? Number(e.facts.desired) : null),
  'workload.ready': (e) => (e.kind === 'workload' ? Number(e.facts.ready) : null),
  'node.cpu.usage': node(0.38),
  'node.cpu.steal': node(0.0004),
  'node.cpu.pressure': node(0.012, 0.5),
  'node.memory.available': node(0.61, 0.05),
  'node.memory.pressure': node(0.0006, 0.6),
  'node.disk.used_ratio': node(0.47, 0.01),
  'node.disk.io_time': node(0.06, 0.6),
  'node.net.retransmits': node(0.0003, 0.8),
  'node.net.drops': node(0.001, 0.5),
  'node.ready': (e) => (e.kind === 'node' ? 1 : null),
  'service.requests': service((e, t) => (isLlama(e) ? 4.8 : 9.2) * noise(e, t, 40, 0.2)),
  'service.errors': service((e, t) => 0.01 * noise(e, t, 41, 0.9)),
  'service.duration': service((e, t, x) => (isLlama(e) ? 9.6 : 1.4) * (1 + 2 * x) * noise(e, t, 42, 0.3)),
};
