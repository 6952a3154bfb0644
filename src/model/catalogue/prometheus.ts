import { instanceAt, namespaced } from './identity.ts';
import type { SourceSystem } from './source.ts';

/** What a Prometheus-style scraper says about its own targets. */
export const prometheus: SourceSystem = {
  name: 'prometheus',
  howTo: 'Scrape the pods with the labels namespace and pod.',
  tables: [
    {
      home: 'pod',
      identities: [namespaced('pod', 'namespace', 'pod'), instanceAt('ip')],
      signals: {
        'telemetry.up': { kind: 'gauge', names: ['up'] },
        'telemetry.scrape_duration': { kind: 'gauge', names: ['scrape_duration_seconds'] },
        'telemetry.series': { kind: 'gauge', names: ['scrape_samples_scraped'] },
      },
    },
  ],
};
