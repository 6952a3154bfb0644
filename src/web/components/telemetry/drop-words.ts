/** Reasons of `trifocal_ingest_dropped_total` as the end of "… were dropped: ". */
const REASONS: Readonly<Record<string, string>> = {
  too_old: 'older than is accepted',
  too_new: 'from the future',
  duplicate_value: 'another value for a time that has one',
  invalid: 'not valid',
  oversize: 'too large',
  limit_series: 'too many series',
  limit_labels: 'too many or too long labels',
  limit_rate: 'more than the sender may send',
  sampled: 'left out by sampling',
  unreadable: 'not readable',
  refused_backpressure: 'no room to keep them',
};

export function reasonWords(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll('_', ' ');
}
