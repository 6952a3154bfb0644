import { Moment } from '../../components/moment.tsx';
import { reasonWords } from '../../components/telemetry/drop-words.ts';
import { isRecent, type Refusal } from '../../components/telemetry/judge-cardinality.ts';
import { LossRow } from '../../components/telemetry/loss-row.tsx';
import { formatValue } from '../../format/index.ts';
import { useNow } from '../../page.ts';
import styles from './cardinality.module.css';

interface Props {
  refusals: readonly Refusal[];
  onSelect: (refusal: Refusal) => void;
}

/** Which metric lost samples to which limit, by which label, with an example. */
export function RefusalList({ refusals, onSelect }: Props) {
  const now = useNow();
  return (
    <ul>
      {refusals.map((refusal) => (
        <LossRow
          key={`${refusal.metric} ${refusal.cluster} ${refusal.reason}`}
          state={isRecent(refusal, now) ? 'warning' : 'idle'}
          what={
            <>
              <button type="button" className={styles.link} onClick={() => onSelect(refusal)}>
                {refusal.metric}
              </button>{' '}
              of {refusal.cluster}: {reasonWords(refusal.reason)}
              {refusal.label === '' ? null : (
                <>
                  , by the label <code className={styles.explodes}>{refusal.label}</code>
                </>
              )}
            </>
          }
          rate={
            <>
              {formatValue(refusal.count, '')} refused since <Moment at={refusal.since} />, last{' '}
              <Moment at={refusal.last} as="ago" />
            </>
          }
          example={refusal.example}
        />
      ))}
    </ul>
  );
}
