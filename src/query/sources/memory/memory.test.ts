import { describeMetricSource } from '../contract-suite.ts';
import { createMemorySource } from './index.ts';

describeMetricSource(async ({ samples, histograms, exemplars = [] }) => {
  const source = createMemorySource();
  if (samples) source.add(samples);
  if (histograms) source.addHistograms(histograms);
  source.addExemplars(exemplars);
  return source;
});
