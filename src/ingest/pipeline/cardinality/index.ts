/** Counting of active series, of the values of their labels, and of what was refused; in memory bounded by the limits. */
export { createActiveSeries } from './active-series.ts';
export { explodingLabel, type MetricEntry } from './metric-entry.ts';
export { createRefusalLog, type RefusalRecord } from './refusal-log.ts';
export { type CardinalityReport, reportMetrics } from './report.ts';
export { createSeriesCounts, OTHER_CLUSTERS, OTHER_METRICS, type Place } from './series-counts.ts';
