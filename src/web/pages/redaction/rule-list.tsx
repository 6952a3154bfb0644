import type { RedactionResponse } from '../../../api/contract/index.ts';
import { cx } from '../../components/class-names.ts';
import { Moment } from '../../components/moment.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { Notice } from '../../components/states/notice.tsx';
import { formatValue } from '../../format/index.ts';
import styles from './redaction.module.css';

/** Each rule with what it hides, whole: what is not hidden matters as much. */
export function RuleList({ rules }: { rules: RedactionResponse['rules'] }) {
  if (rules.length === 0) return <Notice state="unknown" title="There is no rule" />;
  return (
    <ul aria-label="Rules">
      {rules.map((rule) => (
        <li key={`${rule.source} ${rule.name}`} className={styles.rule}>
          <span className={styles.name}>
            <StateMark state={rule.on ? 'ok' : 'silenced'} />
            <code>{rule.name}</code>
          </span>
          <span className={cx(styles.state, !rule.on && styles.off)}>
            {rule.on ? 'on' : 'off'}, {rule.source === 'user' ? 'yours' : 'built in'}
          </span>
          <span>{rule.hides}</span>
          <span className={styles.count} title="Texts in which it hid something since the server started">
            {rule.count === 0 ? (
              'nothing yet'
            ) : (
              <>
                {formatValue(rule.count, '')} {rule.count === 1 ? 'text' : 'texts'}
                {rule.last === undefined ? null : (
                  <>
                    , last <Moment at={rule.last} as="ago" />
                  </>
                )}
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
