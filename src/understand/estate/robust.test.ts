import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ObjectVersion } from '../../model/index.ts';
import { buildEstate, diffObjects, parseObject, toEstateEvent } from './index.ts';
import { parseQuantity } from './quantity.ts';
import { input, node, podParts, version } from './testdata/objects.ts';

const KINDS = [
  'Pod',
  'Node',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'Job',
  'CronJob',
  'Service',
  'Namespace',
  'Event',
  'Widget',
];

/** Objects as a hostile or broken sender could make them: right keys, any values. */
const anyPart = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(null),
  fc.constant([{}]),
  fc.constant({ containers: [{ name: 'main', image: 'x' }] }),
);
const keys = [
  'containers',
  'initContainers',
  'template',
  'selector',
  'replicas',
  'conditions',
  'containerStatuses',
  'allocatable',
  'taints',
  'nodeName',
  'phase',
  'spec',
  'ownerReferences',
  'labels',
];
const anyDictionary = fc.dictionary(fc.constantFrom(...keys), anyPart);
const anyVersion: fc.Arbitrary<ObjectVersion> = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    metadata: anyDictionary,
    spec: fc.oneof(anyDictionary, anyPart),
    status: fc.oneof(anyDictionary, anyPart),
    deleted: fc.boolean(),
  })
  .map(({ kind, metadata, spec, status, deleted }) => ({
    ...version(kind, 'x'),
    deleted,
    body: JSON.stringify({ metadata, spec, status }),
  }));

test('no object breaks the estate, and none hides its neighbours', () => {
  fc.assert(
    fc.property(fc.array(anyVersion, { maxLength: 4 }), (versions) => {
      const neighbour = parseObject(version('Pod', 'good', podParts()));
      const { entities } = buildEstate(input([...versions.map(parseObject), neighbour, node('gpu-1')]));
      expect(entities.some((entity) => entity.ref === 'pod:eu/inference/good')).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('no two versions break their comparison', () => {
  fc.assert(
    fc.property(anyVersion, anyVersion, (before, after) => {
      for (const change of diffObjects(before, after)) expect(change.summary.length).toBeLessThanOrEqual(300);
      toEstateEvent(parseObject(after));
    }),
    { numRuns: 500 },
  );
});

test('bodies that are no JSON become unreadable objects', () => {
  fc.assert(
    fc.property(fc.string(), (body) => {
      expect(['unreadable', 'Pod']).toContain(parseObject({ ...version('Pod', 'x'), body }).kind);
    }),
  );
});

test('quantities are read exactly or not at all', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), (text) => {
      expect(['bigint', 'undefined']).toContain(typeof parseQuantity(text));
    }),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (whole) => {
      expect(parseQuantity(String(whole))).toBe(whole * 1_000_000_000n);
    }),
  );
});
