import { namespaced } from './identity.ts';
import { failed } from './opentelemetry.ts';
import type { SourceSystem } from './source.ts';

/** Qdrant's `/metrics` (port 6333 of every peer): its REST door. */
export const qdrant: SourceSystem = {
  name: 'qdrant',
  howTo: "Scrape /metrics of every Qdrant peer's port 6333, with the labels namespace and pod.",
  tables: [
    {
      home: 'service',
      byPods: true,
      identities: [namespaced('pod', 'namespace', 'pod')],
      signals: {
        'service.requests': { kind: 'counter', names: ['rest_responses_duration_seconds_count'] },
        'service.errors': failed('rest_responses_duration_seconds_count', 'status=~"5.."'),
        'service.duration': { kind: 'histogram', names: ['rest_responses_duration_seconds'] },
      },
    },
  ],
};
