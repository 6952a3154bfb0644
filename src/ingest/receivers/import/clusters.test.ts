import { itKeepsClustersApart } from '../cluster-contract.ts';
import { nowMs } from '../contract.ts';
import { importer } from './index.ts';

itKeepsClustersApart('OpenMetrics', importer, {
  name: 'import/metrics',
  headers: { 'content-type': 'application/openmetrics-text' },
  body: (step) => Buffer.from(`up{job="x"} ${step} ${nowMs / 1000 + (step >> 1)}\n# EOF\n`),
});
