import { CloseButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EntityChip } from '../../components/entity/entity-chip.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatValue } from '../../format/index.ts';
import styles from './span-detail.module.css';
import type { SpanRow } from './span-tree.ts';

export function SpanDetail({ row, onClose }: { row: SpanRow; onClose: () => void }) {
  const { span, self } = row;
  return (
    <Panel title={span.name} actions={<CloseButton size="sm" aria-label="Close" onClick={onClose} />}>
      <p className={styles.line}>
        {span.entity === '' ? span.service : <EntityChip entity={span.entity} />} {span.kind}, {span.status}
        {span.statusMessage === '' ? '' : `: ${span.statusMessage}`}
      </p>
      <p className={styles.line}>
        {formatValue(span.durationSeconds, 's')}, of it {formatValue(self, 's')} own, from{' '}
        <Moment at={span.startedAt} as="second" />
      </p>
      {span.entity === '' ? null : (
        <p className={styles.line}>
          <Link to="/explore/logs" search={{ sel: span.entity }}>
            Logs of this
          </Link>
        </p>
      )}
      <Attributes title="Attributes" values={span.attributes} />
      {span.events.map((event) => (
        <Attributes key={`${event.at} ${event.name}`} title={event.name} values={event.attributes} />
      ))}
      <Attributes title="Resource" values={span.resource} />
    </Panel>
  );
}

function Attributes({ title, values }: { title: string; values: Readonly<Record<string, string>> }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return (
    <>
      <h3 className={styles.title}>{title}</h3>
      <dl className={styles.list}>
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
