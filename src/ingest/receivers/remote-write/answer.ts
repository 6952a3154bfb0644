import { redactText } from '../../pipeline/index.ts';
import type { Rejection } from '../../sink.ts';
import type { Invalid, WriteContent } from './content.ts';

/** How many of a request's parts were stored. */
export interface Written {
  samples: number;
  histograms: number;
  exemplars: number;
}

/** Of the parts that were decoded, those that the pipeline did not refuse. A repeated sample counts: it is stored. */
export function countWritten(content: WriteContent, rejected: readonly Rejection[]): Written {
  const refused = (of: (rejection: Rejection) => boolean) =>
    rejected.reduce((sum, rejection) => (of(rejection) ? sum + rejection.count : sum), 0);
  return {
    samples: content.samples.values.length - refused((one) => one.signal === 'samples' && !one.histograms),
    histograms: content.histograms.values.length - refused((one) => one.histograms === true),
    exemplars: content.exemplars.length - refused((one) => one.signal === 'exemplars'),
  };
}

/** What remote write 2.0 wants to know with every answer. */
export function writtenHeaders(written: Written): Record<string, string> {
  return {
    'x-prometheus-remote-write-samples-written': String(written.samples),
    'x-prometheus-remote-write-histograms-written': String(written.histograms),
    'x-prometheus-remote-write-exemplars-written': String(written.exemplars),
  };
}

/** Prometheus' own words, which senders search their logs for. */
const PROMETHEUS_WORDS: Readonly<Partial<Record<Rejection['reason'], string>>> = {
  too_old: 'out of bounds: too old sample',
  too_new: 'out of bounds: timestamp is too far in the future',
  duplicate_value: 'duplicate sample for timestamp',
  invalid: 'invalid',
};

/**
 * The lines of a 400, none when the request succeeds. As Prometheus does, exemplars alone never fail a request, and
 * invalid labels fail one of version 2 but not of version 1.
 */
export function complaints(version: 1 | 2, invalid: readonly Invalid[], rejected: readonly Rejection[]): string[] {
  return [
    ...rejected
      .filter(({ signal }) => signal === 'samples')
      .map(({ count, reason, example, histograms }) => {
        const what = `${count} ${histograms ? 'histograms' : 'samples'} refused`;
        return `${PROMETHEUS_WORDS[reason] ?? reason} (${what}): ${example}`;
      }),
    ...invalid
      .filter(({ fault, kind }) => (fault === 'labels' ? version === 2 : kind !== 'exemplars'))
      .map(({ count, kind, example }) => `${redactText(example)} (${count} ${kind} refused)`),
  ];
}
