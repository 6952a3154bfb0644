import { type Change, type EntityRef, formatRef, type ObjectVersion, type TimeRange } from '../../model/index.ts';
import { templateChanges } from './diff-template.ts';
import { at, type Json, list, object, text } from './json.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const TEMPLATE_HASH = 'pod-template-hash';
/** The controller makes the ReplicaSet at once; what the Deployment itself told within this time is the same rollout. */
const SAME_ACT_MS = 2 * 60_000;

/**
 * Rollouts as ReplicaSets tell them: one for each made within the range, save a Deployment's first. Says what changed
 * where the previous revision's set is among `versions`. Rollouts that `told` has, from the Deployment's own versions,
 * are left out; what remains began before the Deployment was watched.
 */
export function rolloutChanges(
  versions: readonly ObjectVersion[],
  { from, to }: TimeRange,
  told: readonly Change[],
): Change[] {
  const sets = replicaSets(versions);
  return sets
    .filter((set) => set.revision > 1 && set.createdMs >= from && set.createdMs <= to && !isTold(set, told))
    .map((set) => {
      const previous = sets.find((other) => other.deployment === set.deployment && other.revision === set.revision - 1);
      return toChange(set, previous);
    });
}

interface RevisionSet {
  version: ObjectVersion;
  body: Json;
  /** The workload it belongs to. */
  deployment: EntityRef;
  revision: number;
  createdMs: number;
}

/** Each set in its earliest version: going back to a revision gives its set a new number. */
function replicaSets(versions: readonly ObjectVersion[]): RevisionSet[] {
  const sets = new Map<string, RevisionSet>();
  for (const version of [...versions].sort((a, b) => a.validFromMs - b.validFromMs)) {
    const key = `${version.cluster} ${version.uid}`;
    if (version.kind !== 'ReplicaSet' || version.deleted || sets.has(key)) continue;
    const set = readSet(version);
    if (set) sets.set(key, set);
  }
  return [...sets.values()];
}

function readSet(version: ObjectVersion): RevisionSet | undefined {
  const body = parse(version.body);
  const owner = list(at(body, 'metadata', 'ownerReferences'))
    .map(object)
    .find((reference) => reference.kind === 'Deployment' && reference.controller === true);
  const revision = Number(text(at(body, 'metadata', 'annotations', REVISION)));
  const createdMs = Date.parse(text(at(body, 'metadata', 'creationTimestamp')));
  if (!owner || !Number.isInteger(revision) || Number.isNaN(createdMs)) return undefined;
  const deployment = formatRef('workload', version.cluster, version.namespace, text(owner.name));
  return { version, body, deployment, revision, createdMs };
}

function isTold({ deployment, createdMs }: RevisionSet, told: readonly Change[]): boolean {
  return told.some(
    (change) =>
      change.entity === deployment &&
      change.kind !== 'scale' &&
      change.kind !== 'labels' &&
      Math.abs(change.atMs - createdMs) <= SAME_ACT_MS,
  );
}

function toChange({ version, body, deployment, revision, createdMs }: RevisionSet, previous?: RevisionSet): Change {
  const make = (kind: Change['kind'], before: string, after: string, summary: string): Change => ({
    id: `${version.cluster}.${version.uid}.${createdMs}.rollout`,
    atMs: createdMs,
    entity: deployment,
    kind,
    before,
    after,
    summary,
    group: `${deployment}@${createdMs}`,
  });
  const steps = previous ? templateChanges(withoutHash(previous.body), withoutHash(body), make) : [];
  const [first] = steps;
  const what = steps.length === 0 ? '' : `: ${steps.map((step) => step.summary).join('; ')}`;
  const summary = `revision ${revision} was rolled out${what}`;
  return make(
    'rollout',
    first?.before ?? '',
    first?.after ?? '',
    summary.length > 300 ? `${summary.slice(0, 299)}…` : summary,
  );
}

/** The hash names the template and differs with it: no news of its own. */
function withoutHash(body: Json): Json {
  const template = object(at(body, 'spec', 'template'));
  const metadata = object(template.metadata);
  const { [TEMPLATE_HASH]: _, ...labels } = object(metadata.labels);
  return { spec: { template: { ...template, metadata: { ...metadata, labels } } } };
}

function parse(body: string): Json {
  try {
    return object(JSON.parse(body));
  } catch {
    return {};
  }
}
