/**
 * OpenTelemetry spans as a source of `service.*` and `edge.*`. Spans are not PromQL: a plan names what to measure, and
 * whoever keeps spans answers it.
 */
export const OPENTELEMETRY = 'opentelemetry';

export const OPENTELEMETRY_HOW_TO = 'Send spans of this service by OTLP to port 4317 or 4318.';

export type SpanMeasure = 'requests' | 'errors' | 'duration';

/** What of a service's spans a signal is: `service.*` its server spans, `edge.*` its client spans towards a callee. */
export function spanMeasureOf(signal: string): { side: 'service' | 'edge'; measure: SpanMeasure } | undefined {
  const [side, measure] = signal.split('.');
  if (side !== 'service' && side !== 'edge') return undefined;
  if (measure !== 'requests' && measure !== 'errors' && measure !== 'duration') return undefined;
  return { side, measure };
}
