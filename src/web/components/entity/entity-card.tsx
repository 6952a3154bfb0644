import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { parseRef } from '../../../model/index.ts';
import { entityQuery } from '../../queries.ts';
import { CopyButton } from '../copy-button.tsx';
import { STATE_WORD, stateOfHealth } from '../state.ts';
import { StateMark } from '../state-mark.tsx';
import { WhyButton } from '../why-button.tsx';
import styles from './entity-card.module.css';
import { entityName } from './entity-chip.tsx';
import { KIND_WORD } from './entity-target.ts';
import { factLines } from './fact-lines.ts';

const OPEN_MS = 350;
const CLOSE_MS = 180;
const WIDTH = 320;

interface Anchor {
  ref: string;
  left: number;
  top: number;
  above: boolean;
}

/**
 * The hover card of every entity name on the page. One layer watches for names instead of one card per name, so that
 * long tables stay light.
 */
export function EntityCardLayer() {
  const [anchor, setAnchor] = useState<Anchor>();
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const plan = (next: Anchor | undefined, delay: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => setAnchor(next), delay);
    };
    const over = (event: Event) => {
      if (!(event.target instanceof Element)) return;
      if (card.current?.contains(event.target)) return clearTimeout(timer);
      const name = event.target.closest<HTMLElement>('[data-entity]');
      if (name) plan(anchorOf(name), OPEN_MS);
      else plan(undefined, CLOSE_MS);
    };
    const close = () => plan(undefined, 0);
    const key = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close();
    };
    document.addEventListener('pointerover', over);
    document.addEventListener('pointerdown', over);
    document.addEventListener('scroll', close, true);
    document.addEventListener('keydown', key);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('pointerover', over);
      document.removeEventListener('pointerdown', over);
      document.removeEventListener('scroll', close, true);
      document.removeEventListener('keydown', key);
    };
  }, []);
  if (!anchor) return null;
  const place = anchor.above ? { bottom: window.innerHeight - anchor.top } : { top: anchor.top };
  return (
    <div ref={card} className={styles.card} style={{ left: anchor.left, ...place, width: WIDTH }}>
      <EntityCard key={anchor.ref} entityRef={anchor.ref} />
    </div>
  );
}

function EntityCard({ entityRef }: { entityRef: string }) {
  const { data, error } = useQuery(entityQuery(entityRef));
  const parts = parseRef(entityRef);
  const state = data ? stateOfHealth(data.health.status) : undefined;
  return (
    <>
      <header className={styles.head}>
        <span className={styles.kind}>
          {parts ? KIND_WORD[parts.kind] : 'Entity'}
          {parts ? ` in ${[parts.cluster, parts.namespace].filter(Boolean).join(' / ')}` : ''}
        </span>
        <CopyButton text={entityRef} label="Copy reference" />
      </header>
      <strong className={styles.name}>
        {entityName(entityRef) === parts?.name ? parts.name : (parts?.name ?? entityRef)}
      </strong>
      {error ? <p className={styles.reason}>{error.message}</p> : null}
      {state && data ? (
        <p className={styles.reason}>
          <StateMark state={state} label={STATE_WORD[state]} /> {data.health.reasons[0] ?? ''}
        </p>
      ) : null}
      {data ? (
        <dl className={styles.facts}>
          {factLines(data)
            .slice(0, 5)
            .map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
        </dl>
      ) : null}
      {state === 'warning' || state === 'critical' ? (
        <div className={styles.actions}>
          <WhyButton subject={entityRef} />
        </div>
      ) : null}
    </>
  );
}

function anchorOf(element: HTMLElement): Anchor {
  const box = element.getBoundingClientRect();
  const above = box.bottom > window.innerHeight - 240;
  return {
    ref: element.dataset.entity ?? '',
    left: Math.max(8, Math.min(box.left, window.innerWidth - WIDTH - 8)),
    top: above ? box.top - 6 : box.bottom + 6,
    above,
  };
}
