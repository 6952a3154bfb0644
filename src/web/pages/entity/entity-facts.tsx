import type { EntityDetail } from '../../../api/contract/index.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import { factLines } from '../../components/entity/fact-lines.ts';
import { podOfContainer } from '../../components/entity/gpu-users.ts';
import { MiddleCut } from '../../components/middle-cut.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { formatValue } from '../../format/index.ts';
import styles from './entity-facts.module.css';

/** What is known of an entity besides its signals. */
export function EntityFacts({ entity }: { entity: EntityDetail }) {
  const labels = Object.entries(entity.labels);
  return (
    <aside className={styles.facts}>
      {entity.gpu ? <GpuFacts gpu={entity.gpu} /> : null}
      <Panel title="Facts">
        <dl className={styles.list}>
          {factLines(entity).map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
          {entity.createdAt ? (
            <Fact name="Since">
              <Moment at={entity.createdAt} />
            </Fact>
          ) : null}
          <Fact name="Reference">
            <MiddleCut text={entity.ref} />
            <CopyButton text={entity.ref} label="Copy the reference" />
          </Fact>
        </dl>
      </Panel>
      {labels.length > 0 ? (
        <Panel title="Labels">
          <dl className={styles.labels}>
            {labels.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      ) : null}
    </aside>
  );
}

function GpuFacts({ gpu }: { gpu: NonNullable<EntityDetail['gpu']> }) {
  return (
    <Panel title="Used by">
      <ul className={styles.users}>
        {gpu.allocations.length === 0 ? <li>Nobody: the GPU is free.</li> : null}
        {gpu.allocations.map(({ container, confidence, share }) => (
          <li key={container}>
            <EntityChip entity={podOfContainer(container) ?? container} />
            <span>
              {confidence === 'exact' ? (share < 1 ? formatValue(share, 'ratio') : 'whole, exact') : confidence}
            </span>
          </li>
        ))}
        {gpu.xid.map(({ code, lastChange, class: kind, action }) => (
          <li key={code}>
            <StateMark state="warning" /> XID {code} ({kind}) <Moment at={lastChange} />: {action}
          </li>
        ))}
        {gpu.unreadable.map(({ signal, reason }) => (
          <li key={signal} title={reason}>
            <StateMark state="unknown" /> {signal} cannot be read: {reason}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
