/** What to do about signals that were not stored: one sentence for each reason of `trifocal_ingest_dropped_total`. */
export function fixOf({
  reason,
  signal,
  protocol,
  label,
}: {
  reason: string;
  signal: string;
  protocol: string;
  label?: string;
}): string {
  const named = label === undefined ? undefined : `label ${label}`;
  switch (reason) {
    case 'too_old':
      return 'Let the sender deliver sooner or set its clock; for imports and replays set ingest.accept.past: any.';
    case 'too_new':
      return "Set the sender's clock (NTP), or raise ingest.accept.future.";
    case 'duplicate_value':
      return protocol === 'scrape'
        ? 'Let the page give each series once; it has the same labels twice.'
        : 'Find the two senders of these series (a second collector, a restarted one without its own labels) and give each a label of its own.';
    case 'limit_series':
      return named === undefined
        ? 'Look on the Cardinality page which metric grew, and take a label from it at its source or drop it by relabelling; or raise the limit that the example names.'
        : `Take ${named} from the metric at its source, or drop it by relabelling; or raise the limit that the example names.`;
    case 'limit_labels':
      return named === undefined
        ? 'Drop labels at the source or by relabelling, or raise the limit that the example names.'
        : `Shorten ${named} at its source, or raise the limit that the example names.`;
    case 'oversize':
      if (signal === 'logs') {
        return 'A line that was cut: let the program write shorter ones, or raise limits.line. A whole request that was too large: let the sender send less at once (its batch size), or raise ingest.maxBody.';
      }
      return 'Let the sender send less at once (its batch size), or raise ingest.maxBody.';
    case 'refused_backpressure':
      return 'The sender was asked to try again and loses nothing while its own queue lasts; see what the spool says, or the rate in limits.rate.';
    case 'unreadable':
      return protocol === 'scrape'
        ? 'Open the page that the example names and mend what it exposes there.'
        : `Mend what the sender writes at the place that the example names; none of the ${signal} of that request was stored.`;
    case 'sampled':
      return 'Nothing: the sampling that is configured left these out.';
    default:
      return `Mend the ${signal} at their source; the example says what is wrong with them.`;
  }
}
