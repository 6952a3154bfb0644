import { counted, formatValue } from '../../format/index.ts';

interface Facts {
  kind: string;
  facts: Readonly<Record<string, string | number | boolean | string[]>>;
}

const KNOWN: Readonly<Record<string, { name: string; unit?: string }>> = {
  workloadKind: { name: 'Controller' },
  engine: { name: 'Engine' },
  engineVersion: { name: 'Engine version' },
  model: { name: 'Model' },
  models: { name: 'Models' },
  desired: { name: 'Replicas wanted' },
  ready: { name: 'Ready' },
  phase: { name: 'Phase' },
  node: { name: 'Node' },
  image: { name: 'Image' },
  ip: { name: 'IP' },
  index: { name: 'Index' },
  memoryBytes: { name: 'Memory', unit: 'bytes' },
  kubeletVersion: { name: 'Kubelet' },
  internalIP: { name: 'Address' },
  cpuCores: { name: 'CPU', unit: 'cores' },
  gpus: { name: 'GPUs' },
  gpuModel: { name: 'GPU type' },
  restarts: { name: 'Restarts' },
  gpusRequested: { name: 'GPUs requested' },
  gpusAllocatable: { name: 'GPUs allocatable' },
  cpuAllocatable: { name: 'CPU allocatable', unit: 'cores' },
  memoryAllocatable: { name: 'Memory allocatable', unit: 'bytes' },
  podsAllocatable: { name: 'Pods allocatable' },
  cpuRequest: { name: 'CPU request', unit: 'cores' },
  cpuLimit: { name: 'CPU limit', unit: 'cores' },
  memoryRequest: { name: 'Memory request', unit: 'bytes' },
  memoryLimit: { name: 'Memory limit', unit: 'bytes' },
  osImage: { name: 'OS image' },
  qos: { name: 'QoS class' },
  uuid: { name: 'UUID' },
  pciBusId: { name: 'PCI bus' },
  requestsPerSecond: { name: 'Requests', unit: '1/s' },
  errorRatio: { name: 'Errors', unit: 'ratio' },
  meanDurationSeconds: { name: 'Mean duration', unit: 's' },
};

/** What is known of an entity as pairs of name and text: the telling facts first, references left out (they are chips elsewhere). */
export function factLines({ facts }: Facts): [string, string][] {
  const order = Object.keys(KNOWN);
  const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.entries(facts)
    .filter(([, value]) => value !== '' && !isReference(value) && !(Array.isArray(value) && value.length === 0))
    .filter(([name, value]) => !(name === 'images' && [value].flat().join() === facts.image))
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([name, value]) => [KNOWN[name]?.name ?? words(name), textOf(value, KNOWN[name]?.unit)]);
}

function textOf(value: string | number | boolean | string[], unit: string | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return formatValue(value, unit ?? '');
  return Array.isArray(value) ? (value.length > 3 ? counted(value.length, 'item') : value.join(', ')) : value;
}

function isReference(value: string | number | boolean | string[]): boolean {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && /^[a-z]+:[^/]+\/[^/]+\/[^/]+$/.test(first) && !first.includes('//');
}

/** `kubeletVersion` to `Kubelet version`. */
function words(name: string): string {
  const spaced = name.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
