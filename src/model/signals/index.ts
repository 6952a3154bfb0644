/** Signals: metric samples, log records, spans, Kubernetes object versions; their labels and places. */

export * from './attributes.ts';
export * from './batch.ts';
export * from './histogram.ts';
export * from './labels.ts';
export * from './place.ts';
export * from './protocols.ts';
export * from './series.ts';
export * from './stale.ts';
export * from './validate-histogram.ts';
