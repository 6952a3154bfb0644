import { formatAgo, formatExact, formatMinute, formatMoment } from '../format/index.ts';
import { useNow, useZone } from '../page.ts';

interface Props {
  /** RFC 3339 or milliseconds. */
  at: string | number;
  as?: 'minute' | 'second' | 'ago';
}

/**
 * A time in the page's zone; the exact one, with the zone's name, on hover. As `ago` it is never in the future: the page's
 * moment may be a little older than the answer.
 */
export function Moment({ at, as = 'minute' }: Props) {
  const zone = useZone();
  const now = useNow();
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const text =
    as === 'ago'
      ? formatAgo(Math.min(ms, now), now)
      : as === 'second'
        ? formatMoment(ms, zone, now)
        : formatMinute(ms, zone, now);
  const hover = as === 'ago' ? formatExact(ms, zone) : `${formatExact(ms, zone)}, ${formatAgo(ms, now)}`;
  return (
    <time dateTime={new Date(ms).toISOString()} title={hover}>
      {text}
    </time>
  );
}
