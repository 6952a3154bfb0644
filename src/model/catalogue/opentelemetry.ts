import { instanceAt, namespaced } from './identity.ts';
import { by, type Recipe, selector } from './recipe.ts';
import type { SourceSystem } from './source.ts';

/**
 * OpenTelemetry: HTTP server metrics of its semantic conventions in their Prometheus form, and spans. Spans are not
 * PromQL: a plan names what to measure, and whoever keeps spans answers it.
 */
export const OPENTELEMETRY = 'opentelemetry';

export const OPENTELEMETRY_HOW_TO = 'Send spans or HTTP server metrics of this service by OTLP to port 4317 or 4318.';

const DURATION = 'http_server_request_duration_seconds';

export const opentelemetry: SourceSystem = {
  name: OPENTELEMETRY,
  howTo: OPENTELEMETRY_HOW_TO,
  tables: [
    {
      home: 'service',
      byPods: true,
      identities: [
        namespaced('pod', 'namespace', 'pod'),
        namespaced('pod', 'k8s_namespace_name', 'k8s_pod_name'),
        instanceAt('ip'),
      ],
      signals: {
        'service.requests': { kind: 'counter', names: [`${DURATION}_count`] },
        'service.errors': failed(`${DURATION}_count`, 'http_response_status_code=~"5.."'),
        'service.duration': { kind: 'histogram', names: [DURATION] },
      },
    },
  ],
};

/** Series of a failing status appear with the first failure, so a service without them counts as zero. */
export function failed(counter: string, where: string): Recipe {
  return {
    kind: 'custom',
    expression: ({ matchers, range, grain }) => {
      const rate = (condition?: string) =>
        `sum${by(grain)} (rate(${selector(counter, matchers, condition)}[${range}]))`;
      return `${rate(where)} or 0 * ${rate()}`;
    },
  };
}

export type SpanMeasure = 'requests' | 'errors' | 'duration';

/** What of a service's spans a signal is: `service.*` its server spans, `edge.*` its client spans towards a callee. */
export function spanMeasureOf(signal: string): { side: 'service' | 'edge'; measure: SpanMeasure } | undefined {
  const [side, measure] = signal.split('.');
  if (side !== 'service' && side !== 'edge') return undefined;
  if (measure !== 'requests' && measure !== 'errors' && measure !== 'duration') return undefined;
  return { side, measure };
}
