import { Link } from '@tanstack/react-router';
import { protocolWords } from '../../../model/index.ts';
import { Moment } from '../../components/moment.tsx';
import { Notice } from '../../components/states/notice.tsx';
import { reasonWords } from '../../components/telemetry/drop-words.ts';
import { LossRow } from '../../components/telemetry/loss-row.tsx';
import { formatValue, sentence } from '../../format/index.ts';
import type { Drop } from './verdict.ts';

/** What was not stored: why, how much, an example, and what to do. What happens now stands first. */
export function DropList({ drops }: { drops: readonly Drop[] }) {
  if (drops.length === 0) return <Notice state="ok" title="Nothing was dropped since the server started" />;
  const sorted = [...drops].sort((a, b) => b.perSecond - a.perSecond || Date.parse(b.last) - Date.parse(a.last));
  return (
    <ul>
      {sorted.map((drop) => (
        <LossRow
          key={`${drop.reason} ${drop.signal} ${drop.protocol}`}
          state={drop.perSecond > 0 ? 'warning' : 'idle'}
          what={
            <>
              <strong>{sentence(reasonWords(drop.reason))}</strong>: {formatValue(drop.count, '')} {drop.signal} by{' '}
              {protocolWords(drop.protocol)}
              {drop.sender === undefined ? '' : `, last from ${drop.sender}`}
            </>
          }
          rate={
            <>
              {drop.perSecond > 0 ? `${formatValue(drop.perSecond, '')} per second` : 'not now'}, last{' '}
              <Moment at={drop.last} as="ago" />
            </>
          }
          because={
            drop.label === undefined ? undefined : (
              <>
                The label with the most values is <code>{drop.label}</code>.{' '}
                <Link to="/telemetry/cardinality" search={{ q: drop.label }}>
                  See its cardinality
                </Link>
              </>
            )
          }
          example={drop.example}
          fix={drop.fix}
        />
      ))}
    </ul>
  );
}
