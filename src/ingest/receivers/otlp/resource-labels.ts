import { type Attributes, attributeText, type LabelSet } from '../../../model/index.ts';
import { labelName } from './naming.ts';

/** Resource attributes that become labels of every series of the resource. */
const PROMOTED = [
  'k8s.cluster.name', 'k8s.namespace.name', 'k8s.pod.name', 'k8s.container.name', 'k8s.node.name', 'k8s.deployment.name', 'service.version',
]; // biome-ignore format: a list to read
const IDENTIFYING = new Set(['service.namespace', 'service.name', 'service.instance.id']);
/** What tells one process that sends metrics from another. */
const WRITER = [
  'service.namespace', 'service.name', 'service.instance.id', 'k8s.cluster.name', 'k8s.namespace.name', 'k8s.node.name', 'k8s.pod.name',
  'k8s.pod.uid', 'k8s.container.name', 'container.id', 'host.name', 'host.id', 'process.pid',
]; // biome-ignore format: a list to read
const HOSTS = ['k8s.pod.name', 'k8s.pod.uid', 'container.id', 'host.name', 'host.id'];

/** What all series of a resource have in common. */
export interface ResourceLabels {
  promoted: readonly (readonly [string, string])[];
  job: string;
  instance: string;
  /** Equal for resources that stand for the same sending process. */
  writer: string;
}

export function resourceLabels(resource: Attributes): ResourceLabels {
  const text = (key: string) => textOf(resource, key);
  const service = text('service.name');
  const namespace = text('service.namespace');
  return {
    promoted: PROMOTED.filter((key) => resource.has(key)).map((key) => [labelName(key), text(key)]),
    job: service !== '' && namespace !== '' ? `${namespace}/${service}` : service,
    instance: text('service.instance.id') || derivedInstance(resource),
    writer: JSON.stringify(WRITER.map(text)),
  };
}

/**
 * Without `service.instance.id` two processes of one service would write the same series, so host and process stand in
 * for it: `host:pid`, or what there is of them. Not for a pod alone, whose name is a label already, as Prometheus has it.
 */
function derivedInstance(resource: Attributes): string {
  const hostKey = HOSTS.find((key) => textOf(resource, key) !== '');
  const host = hostKey === undefined ? '' : textOf(resource, hostKey);
  const process = textOf(resource, 'process.pid');
  if (process !== '') return host === '' ? process : `${host}:${process}`;
  return hostKey === 'k8s.pod.name' ? '' : host;
}

function textOf(resource: Attributes, key: string): string {
  const value = resource.get(key);
  return value === undefined ? '' : attributeText(value);
}

/** The labels of a point's series, without a name. */
export function pointLabels(attributes: Attributes, base: ResourceLabels): LabelSet {
  const labels = attributeLabels(attributes);
  for (const [name, value] of base.promoted) if (!labels.has(name)) labels.set(name, value);
  return finishLabels(labels, base);
}

/** Attributes whose names become the same label share it, in the order of their own names. */
function attributeLabels(attributes: Attributes, except?: ReadonlySet<string>): Map<string, string> {
  const labels = new Map<string, string>();
  for (const key of [...attributes.keys()].sort()) {
    if (except?.has(key)) continue;
    const name = labelName(key);
    const value = attributeText(attributes.get(key) ?? null);
    const before = labels.get(name);
    labels.set(name, before === undefined ? value : `${before};${value}`);
  }
  return labels;
}

function finishLabels(labels: Map<string, string>, base: ResourceLabels): LabelSet {
  if (base.job !== '') labels.set('job', base.job);
  if (base.instance !== '') labels.set('instance', base.instance);
  const flat: string[] = [];
  for (const name of [...labels.keys()].sort()) {
    const value = labels.get(name) ?? '';
    if (value !== '' && name !== '') flat.push(name, value);
  }
  return flat;
}

/** Undefined for a resource that nothing identifies, or that says nothing else. */
export function targetInfo(resource: Attributes, base: ResourceLabels): LabelSet | undefined {
  if (base.job === '' && base.instance === '') return undefined;
  const labels = attributeLabels(resource, IDENTIFYING);
  if (labels.size === 0) return undefined;
  return withExtra(finishLabels(labels, base), '__name__', 'target_info');
}

/** The set with a label put in its place; one of the same name is replaced. */
export function withExtra(labels: LabelSet, name: string, value: string): LabelSet {
  let at = 0;
  while (at < labels.length && (labels[at] ?? '') < name) at += 2;
  const replaced = labels[at] === name ? 2 : 0;
  return [...labels.slice(0, at), name, value, ...labels.slice(at + replaced)];
}

/** How OpenTelemetry and Prometheus name the trace of an exemplar; the rest only as far as Prometheus takes it. */
export function exemplarLabels(exemplar: { traceId: string; spanId: string; attributes: Attributes }): LabelSet {
  const labels = attributeLabels(exemplar.attributes);
  let characters = 0;
  for (const [name, value] of labels) characters += name.length + value.length;
  // 128 characters are what OpenMetrics allows; the trace's ids matter more than anything else.
  const all = characters + exemplar.traceId.length + exemplar.spanId.length > 100 ? new Map<string, string>() : labels;
  if (exemplar.traceId !== '') all.set('trace_id', exemplar.traceId);
  if (exemplar.spanId !== '') all.set('span_id', exemplar.spanId);
  return finishLabels(all, NOBODY);
}

const NOBODY: ResourceLabels = { promoted: [], job: '', instance: '', writer: '' };
