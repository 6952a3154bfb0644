import { describeMetricSource } from '../contract-suite.ts';
import { createMemorySource } from './index.ts';

describeMetricSource(async (batch) => {
  const source = createMemorySource();
  source.add(batch);
  return source;
});
