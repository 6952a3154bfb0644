import { Fragment, type ReactNode } from 'react';
import { EntityChip, entityName } from './entity/entity-chip.tsx';
import type { EntityLike } from './entity/entity-target.ts';
import styles from './page-head.module.css';
import type { State } from './state.ts';
import { StateMark } from './state-mark.tsx';

/** A sentence whose entities are links. */
export type Sentence = readonly (string | { entity: EntityLike })[];

export function sentenceText(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === 'string' ? part : entityName(part.entity.ref))).join('');
}

interface Props {
  state: State;
  /** Answers the page's question. */
  answer: Sentence;
  /** The line under it. */
  more?: ReactNode;
  actions?: ReactNode;
  numbers?: ReactNode;
}

/** The head of every page: its question answered in words, then its three numbers. */
export function PageHead({ state, answer, more, actions, numbers }: Props) {
  return (
    <header className={styles.head}>
      <title>{`${sentenceText(answer)} – Trifocal`}</title>
      <div className={styles.first}>
        <div className={styles.words}>
          <h1 className={styles.answer}>
            <span className={styles.mark}>
              <StateMark state={state} size={18} />
            </span>
            <span>
              {answer.map((part, i) =>
                typeof part === 'string' ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence keep their places
                  <Fragment key={i}>{part}</Fragment>
                ) : (
                  <EntityChip key={part.entity.ref} entity={part.entity} />
                ),
              )}
            </span>
          </h1>
          {more === undefined || more === null ? null : <div className={styles.more}>{more}</div>}
        </div>
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </div>
      {numbers === undefined ? null : <div className={styles.numbers}>{numbers}</div>}
    </header>
  );
}
