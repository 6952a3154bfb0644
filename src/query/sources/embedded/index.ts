import type { ClickHousePort } from '../../../store/index.ts';
import type { MetricSource } from '../contract.ts';
import { readExemplars } from './exemplars.ts';
import { gridCapability } from './grid.ts';
import { listLabelNames, listLabelValues, listSeries } from './labels.ts';
import { listMetadata } from './metadata.ts';
import { readSamples } from './samples.ts';

/**
 * Metrics of Trifocal's own store. `pushdown: false` makes the engine compute everything itself, which gives the same
 * answers and is there to show that it does.
 */
export async function openEmbeddedSource(options: { port: ClickHousePort; pushdown?: boolean }): Promise<MetricSource> {
  const { port } = options;
  const grid = options.pushdown === false ? undefined : await gridCapability(port);
  return {
    ...(grid && { grid }),
    samples: (request, read) => readSamples(port, request, read),
    exemplars: (request, read) => readExemplars(port, request, read),
    series: (request, read) => listSeries(port, request, read),
    labelNames: (request, read) => listLabelNames(port, request, read),
    labelValues: (request, read) => listLabelValues(port, request, read),
    metadata: (request, read) => listMetadata(port, request, read),
  };
}
