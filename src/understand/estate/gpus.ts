import {
  type Confidence,
  type Entity,
  type EntityRef,
  type FactValue,
  formatRef,
  type Health,
  labelValue,
  type Relation,
} from '../../model/index.ts';
import { healthOf, type Remark } from './health.ts';
import type { EstateInput, GpuSample } from './input.ts';
import { groupBy, type Lookup } from './lookup.ts';
import { isOver, type PodObject, podRef } from './pod-health.ts';
import { gpuCount } from './quantity.ts';

const MIB = 1024 * 1024;
/** DCGM writes values at and above these where there is nothing to read (dcgm_structs.h: DCGM_INT32_BLANK, DCGM_FP64_BLANK). */
const BLANK_INT32 = 0x7ffffff0;
const BLANK_FP64 = 140_737_488_355_328;

/** GPUs from their exporter's series, each with the pods that it was given to and how sure that is. */
export function buildGpus(
  input: Pick<EstateInput, 'gpus'>,
  around: Lookup,
): { entities: Entity[]; relations: Relation[] } {
  const cards = groupCards(input.gpus, around);
  const claims = new Map(cards.map((card) => [card, claimsOf(card, around)]));
  inferClaims(cards, claims, around);
  const entities: Entity[] = [];
  const relations: Relation[] = [];
  for (const card of cards) {
    const found = claims.get(card) ?? [];
    entities.push(toEntity(card, found));
    for (const claim of found) {
      const shared = claim.confidence === 'shared' ? { share: found.length } : {};
      relations.push({ kind: 'uses', from: podRef(claim.pod), to: card.ref, confidence: claim.confidence, ...shared });
    }
    const parent =
      card.node === ''
        ? formatRef('cluster', card.cluster, '', card.cluster)
        : formatRef('node', card.cluster, '', card.node);
    relations.push({ kind: 'contains', from: parent, to: card.ref, confidence: 'exact' });
  }
  return { entities, relations };
}

interface Card {
  ref: EntityRef;
  cluster: string;
  uuid: string;
  node: string;
  samples: GpuSample[];
}

interface Claim {
  pod: PodObject;
  container: string;
  confidence: Confidence;
}

function groupCards(samples: readonly GpuSample[], around: Lookup): Card[] {
  const cards = new Map<EntityRef, Card>();
  for (const sample of samples) {
    const uuid = first(sample, 'UUID', 'uuid', 'gpu_uuid');
    if (uuid === '') continue;
    const ref = formatRef('gpu', sample.cluster, '', uuid);
    const card = cards.get(ref) ?? { ref, cluster: sample.cluster, uuid, node: '', samples: [] };
    if (card.node === '') card.node = nodeOf(sample, around);
    card.samples.push(sample);
    cards.set(ref, card);
  }
  return [...cards.values()];
}

function nodeOf(sample: GpuSample, around: Lookup): string {
  const hosts = [
    first(sample, 'node', 'kubernetes_node'),
    first(sample, 'Hostname', 'hostname'),
    hostOf(labelValue(sample.labels, 'instance')),
  ];
  for (const host of hosts) {
    const node = host === '' ? undefined : around.findNode(sample.cluster, host);
    if (node !== undefined) return node;
  }
  return hosts[0] || hosts[1] || '';
}

function hostOf(instance: string): string {
  return instance.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}

/** The pods that the labels name. Several pods on one card share it; several MIG instances of a card do not. */
function claimsOf(card: Card, around: Lookup): Claim[] {
  const claims = new Map<string, Claim & { instances: Set<string> }>();
  for (const sample of card.samples) {
    const named = namedPod(sample, around);
    if (!named) continue;
    const claim = claims.get(`${named.pod.uid} ${named.container}`) ?? {
      ...named,
      confidence: 'exact',
      instances: new Set(),
    };
    claim.instances.add(first(sample, 'GPU_I_ID'));
    claims.set(`${named.pod.uid} ${named.container}`, claim);
  }
  const all = [...claims.values()];
  return all.map(({ instances, ...claim }) => {
    const rival = all.some(
      (other) => other.pod !== claim.pod && [...instances].some((instance) => other.instances.has(instance)),
    );
    return { ...claim, confidence: rival ? 'shared' : 'exact' };
  });
}

/**
 * `exported_*` labels are the workload's where the scrape kept its own; plain labels are the workload's otherwise,
 * unless they name the exporter itself.
 */
function namedPod(sample: GpuSample, around: Lookup): { pod: PodObject; container: string } | undefined {
  const exported = labelValue(sample.labels, 'exported_pod');
  const name = exported || first(sample, 'pod', 'pod_name');
  if (name === '') return undefined;
  const namespace = exported
    ? labelValue(sample.labels, 'exported_namespace')
    : first(sample, 'namespace', 'pod_namespace');
  const container = exported
    ? labelValue(sample.labels, 'exported_container')
    : first(sample, 'container', 'container_name');
  const pod = around.findPod(sample.cluster, namespace, name);
  if (!pod || (!exported && isExporter(pod, sample))) return undefined;
  return { pod, container: container || gpuContainer(pod) };
}

function isExporter(pod: PodObject, sample: GpuSample): boolean {
  const { podIP = '', hostIP = '' } = pod.body.status ?? {};
  const host = hostOf(labelValue(sample.labels, 'instance'));
  const takesNoGpu = pod.body.spec.containers.every((container) => gpuCount(container.resources?.limits) === 0);
  return (
    takesNoGpu &&
    (host === podIP || host === hostIP || pod.owner?.kind === 'DaemonSet' || pod.name.includes('exporter'))
  );
}

function gpuContainer(pod: PodObject): string {
  const { containers } = pod.body.spec;
  return (containers.find((container) => gpuCount(container.resources?.limits) > 0) ?? containers[0])?.name ?? '';
}

/** Cards of a node that no label claims go to the one pod there that asked for just that many, if there is one such pod. */
function inferClaims(cards: readonly Card[], claims: Map<Card, Claim[]>, around: Lookup): void {
  const unclaimedCards = cards.filter((card) => (claims.get(card) ?? []).length === 0);
  const free = groupBy(unclaimedCards, (card) => `${card.cluster} ${card.node}`);
  const holders = new Set([...claims.values()].flat().map((claim) => claim.pod));
  for (const unclaimed of free.values()) {
    const [{ cluster, node } = { cluster: '', node: '' }] = unclaimed;
    const seekers = around
      .podsOn(cluster, node)
      .filter((pod) => !isOver(pod) && !holders.has(pod) && requestedGpus(pod) > 0);
    const [only] = seekers;
    if (seekers.length !== 1 || !only || requestedGpus(only) !== unclaimed.length) continue;
    for (const card of unclaimed)
      claims.set(card, [{ pod: only, container: gpuContainer(only), confidence: 'inferred' }]);
  }
}

export function requestedGpus(pod: PodObject): number {
  return pod.body.spec.containers.reduce((sum, container) => sum + gpuCount(container.resources?.limits), 0);
}

function toEntity(card: Card, claims: readonly Claim[]): Entity {
  const [sample] = card.samples;
  const label = (...names: string[]) => (sample ? first(sample, ...names) : '');
  const memory = memoryBytes(card);
  const mig = new Set(card.samples.map(migInstance).filter((instance) => instance !== ''));
  const xid = newest(card, 'xid');
  const facts: Record<string, FactValue> = {
    uuid: card.uuid,
    index: label('gpu'),
    node: card.node,
    model: label('modelName', 'model_name'),
    ...(memory === undefined ? {} : { memoryBytes: memory }),
    ...(label('pci_bus_id') === '' ? {} : { pciBusId: label('pci_bus_id') }),
    ...(label('DCGM_FI_DRIVER_VERSION') === '' ? {} : { driver: label('DCGM_FI_DRIVER_VERSION') }),
    ...(mig.size === 0 ? {} : { mig: [...mig].sort() }),
    ...(xid ? { xid } : {}),
    allocations: claims.map((claim) =>
      formatRef('container', claim.pod.cluster, claim.pod.namespace, `${claim.pod.name}/${claim.container}`),
    ),
    unreadable: [...new Set(card.samples.filter((s) => isBlank(s.value)).map((s) => SIGNAL_OF[s.fact]))],
  };
  return {
    ref: card.ref,
    kind: 'gpu',
    cluster: card.cluster,
    namespace: '',
    name: card.uuid,
    uid: card.uuid,
    health: gpuHealth(card),
    labels: {},
    facts,
  };
}

/** The canonical signal that a sample belongs to, for saying what cannot be read. */
const SIGNAL_OF: Record<GpuSample['fact'], string> = {
  present: 'gpu.temperature',
  'memory-used': 'gpu.memory.used',
  'memory-free': 'gpu.memory.total',
  'memory-reserved': 'gpu.memory.total',
  'memory-total': 'gpu.memory.total',
  xid: 'gpu.xid',
  'clock-events': 'gpu.throttle.thermal',
  'remap-failure': 'gpu.rows.remapped',
  'remap-pending': 'gpu.rows.remapped',
};

function memoryBytes(card: Card): number | undefined {
  const total = newest(card, 'memory-total');
  if (total !== undefined) return total * MIB;
  const used = newest(card, 'memory-used');
  const free = newest(card, 'memory-free');
  if (used === undefined || free === undefined) return undefined;
  return (used + free + (newest(card, 'memory-reserved') ?? 0)) * MIB;
}

/** Bits of DCGM_FI_DEV_CLOCKS_EVENT_REASONS that cut clocks for the sake of the hardware (NVML: nvmlClocksEventReasons). */
const CLOCK_EVENTS: readonly [bit: number, words: string][] = [
  [0x40, 'clocks are cut by its hardware thermal protection'],
  [0x20, 'clocks are lowered by the driver because it is too hot'],
  [0x80, 'clocks are cut by an external power brake'],
  [0x8, 'clocks are cut by its hardware'],
];

function gpuHealth(card: Card): Health {
  if (card.samples.every((sample) => sample.fact === 'present' && isBlank(sample.value))) {
    return { status: 'unknown', reasons: ['its exporter cannot read it'] };
  }
  const remarks: Remark[] = [];
  const mask = newest(card, 'clock-events') ?? 0;
  // A hardware thermal cut sets the general hardware bit as well: the more specific words come first and are enough.
  const clock = CLOCK_EVENTS.find(([bit]) => (mask & bit) !== 0);
  if (clock) remarks.push({ status: 'degraded', reason: clock[1] });
  if ((newest(card, 'remap-failure') ?? 0) > 0)
    remarks.push({ status: 'failing', reason: 'out of spare memory rows: replace it' });
  if ((newest(card, 'remap-pending') ?? 0) > 0)
    remarks.push({ status: 'degraded', reason: 'a memory row was remapped: it needs a reset' });
  return healthOf(remarks);
}

function newest(card: Card, fact: GpuSample['fact']): number | undefined {
  const values = card.samples
    .filter((sample) => sample.fact === fact && !isBlank(sample.value))
    .map((sample) => sample.value);
  return values.length === 0 ? undefined : Math.max(...values);
}

function isBlank(value: number): boolean {
  return Number.isNaN(value) || value >= BLANK_FP64 || (value >= BLANK_INT32 && value <= BLANK_INT32 + 0xf);
}

function migInstance(sample: GpuSample): string {
  const id = first(sample, 'GPU_I_ID');
  return id === '' ? '' : `${first(sample, 'GPU_I_PROFILE')}#${id}`;
}

function first(sample: GpuSample, ...names: string[]): string {
  for (const name of names) {
    const value = labelValue(sample.labels, name);
    if (value !== '') return value;
  }
  return '';
}
