import type { InvestigationBody } from '../../../api/contract/index.ts';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import { Panel } from '../../components/panel.tsx';
import type { State } from '../../components/state.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { formatValue } from '../../format/index.ts';
import styles from './answers.module.css';
import { ANSWER_WORD, STATE_OF_ANSWER, signalWords } from './words.ts';

const STATE_OF_SEVERITY: Readonly<Record<'info' | 'warning' | 'critical', State>> = {
  info: 'idle',
  warning: 'warning',
  critical: 'critical',
};

/** The ten questions, one line each; a line unfolds to what was found and its numbers. */
export function Answers({ investigation }: { investigation: InvestigationBody }) {
  return (
    <Panel title="Ten questions" note="each with what was found" flush>
      <div className={styles.list}>
        {investigation.questions.map((question, i) => (
          <details key={question.id} className={styles.answer}>
            <summary className={styles.line}>
              <span className={styles.number}>{i + 1}</span>
              <StateMark state={STATE_OF_ANSWER[question.status]} label={ANSWER_WORD[question.status]} />
              <span className={styles.text}>{question.text}</span>
              <span className={styles.summary}>{question.summary}</span>
            </summary>
            <ul className={styles.findings}>
              {question.findings.length === 0 ? <li className={styles.none}>Nothing beyond this was found.</li> : null}
              {question.findings.map((finding) => (
                <li key={`${finding.entity} ${finding.summary}`} className={styles.finding}>
                  <StateMark state={STATE_OF_SEVERITY[finding.severity]} />
                  <span>
                    <EntityChip entity={finding.entity} look="plain" /> {finding.summary}{' '}
                    <span className={styles.evidence}>{evidenceWords(investigation, finding.evidence)}</span>
                  </span>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </div>
    </Panel>
  );
}

function evidenceWords({ evidence }: InvestigationBody, ids: readonly string[]): string {
  return evidence
    .filter((e) => ids.includes(e.id))
    .map((e) => `${signalWords(e.signal)} ${formatValue(e.before, e.unit)} → ${formatValue(e.during, e.unit)}`)
    .join(' · ');
}
