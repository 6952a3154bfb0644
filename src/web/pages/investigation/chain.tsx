import type { InvestigationBody } from '../../../api/contract/index.ts';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatValue } from '../../format/index.ts';
import styles from './chain.module.css';
import { mechanismWords, signalWords } from './words.ts';

type Cause = InvestigationBody['causes'][number];
type Evidence = InvestigationBody['evidence'][number];

interface Props {
  cause: Cause;
  evidence: readonly Evidence[];
  subject: string;
}

/** From the cause to the symptom, each hop with the number that moved there. */
export function Chain({ cause, evidence, subject }: Props) {
  const hops = cause.chain.length > 0 ? cause.chain : [cause.entity, subject];
  return (
    <Panel
      title={mechanismWords(cause.mechanism)}
      note={
        <>
          since <Moment at={cause.since} />
        </>
      }
    >
      <p className={styles.summary}>{cause.summary}</p>
      <ol className={styles.chain}>
        {hops.map((ref, i) => (
          <li key={ref} className={styles.hop}>
            {i > 0 ? (
              <svg viewBox="0 0 28 12" width="28" height="12" className={styles.arrow} aria-hidden="true">
                <path d="M0 6h24M19 1.5L24.5 6 19 10.5" />
              </svg>
            ) : null}
            <div className={styles.box}>
              <EntityChip entity={ref} />
              {movesAt(ref, cause, evidence).map((e) => (
                <span key={e.id} className={styles.move}>
                  {signalWords(e.signal)} {formatValue(e.before, e.unit)} →{' '}
                  <strong>{formatValue(e.during, e.unit)}</strong>
                </span>
              ))}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** The two things that moved most on this hop. */
function movesAt(ref: string, cause: Cause, evidence: readonly Evidence[]): Evidence[] {
  const supporting = evidence.filter(
    (e) => e.role === 'supports' && e.entity === ref && e.before !== null && e.during !== null,
  );
  const own = supporting.filter((e) => cause.evidence.includes(e.id));
  const size = (e: Evidence) => Math.abs(Math.log(((e.during ?? 0) + 1e-9) / ((e.before ?? 0) + 1e-9)));
  return (own.length > 0 ? own : supporting).sort((a, b) => size(b) - size(a)).slice(0, 2);
}
