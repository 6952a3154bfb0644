import { expect, test } from 'vitest';
import { toEstateEvent } from './index.ts';
import { ago, NOW, object } from './testdata/objects.ts';

test('core events', () => {
  const event = object('Event', 'e', {
    body: {
      involvedObject: { kind: 'Pod', namespace: 'inference', name: 'llama-0', fieldPath: 'spec.containers{vllm}' },
      type: 'Warning', reason: 'Unhealthy', message: 'Readiness probe failed', count: 12,
      firstTimestamp: ago(600), lastTimestamp: ago(5), eventTime: null, source: { component: 'kubelet', host: 'gpu-1' },
      reportingComponent: '',
    },
  }); // biome-ignore format: as the API server prints it
  expect(toEstateEvent(event)).toEqual({
    atMs: NOW - 5000,
    entity: 'pod:eu/inference/llama-0',
    container: 'vllm',
    type: 'Warning',
    reason: 'Unhealthy',
    message: 'Readiness probe failed',
    count: 12,
    source: 'kubelet',
  });
});

test('events.k8s.io, with a series and null times', () => {
  const event = object('Event', 'e', {
    body: {
      regarding: { kind: 'Node', name: 'gpu-1' },
      type: 'Normal', reason: 'NodeNotReady', note: 'Node gpu-1 status is now: NodeNotReady', deprecatedLastTimestamp: null,
      eventTime: ago(100), series: { count: 3, lastObservedTime: ago(50) }, reportingController: 'node-controller',
    },
  }); // biome-ignore format: as the API server prints it
  expect(toEstateEvent(event)).toMatchObject({
    atMs: NOW - 50_000,
    entity: 'node:eu/-/gpu-1',
    message: 'Node gpu-1 status is now: NodeNotReady',
    count: 3,
    source: 'node-controller',
  });
});

test("a ReplicaSet's events are its Deployment's", () => {
  const event = object('Event', 'e', {
    body: { involvedObject: { kind: 'ReplicaSet', namespace: 'inference', name: 'rag-api-6d9fbc7d5f' } },
  });
  expect(toEstateEvent(event)?.entity).toBe('workload:eu/inference/rag-api');
});

test('other objects are none', () => expect(toEstateEvent(object('Namespace', 'n'))).toBeUndefined());
