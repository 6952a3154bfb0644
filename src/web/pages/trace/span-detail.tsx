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
      {span.links.map((link) => (
        <div key={`${link.traceId} ${link.spanId}`}>
          <Attributes title="Linked" values={link.attributes} isKept />
          <Link to="/traces/$id" params={{ id: link.traceId }} className={styles.id}>
            {link.traceId}
          </Link>
        </div>
      ))}
      <Attributes title="Made by" values={scopeOf(span)} />
      <Attributes title="Resource" values={span.resource} />
    </Panel>
  );
}

/** The library that made the span, and what travelled with its trace. */
function scopeOf({ scope, traceState }: SpanRow['span']): Record<string, string> {
  return {
    ...(scope.name === '' ? {} : { library: [scope.name, scope.version].filter(Boolean).join(' ') }),
    ...(scope.schemaUrl === '' ? {} : { schema: scope.schemaUrl }),
    ...(traceState === '' ? {} : { tracestate: traceState }),
    ...scope.attributes,
  };
}

interface AttributesProps {
  title: string;
  values: Readonly<Record<string, string>>;
  /** The title stands also when there are none. */
  isKept?: boolean;
}

function Attributes({ title, values, isKept = false }: AttributesProps) {
  const entries = Object.entries(values);
  if (entries.length === 0 && !isKept) return null;
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
