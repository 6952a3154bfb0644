import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { LogsResponse } from '../../api/contract/index.ts';
import { counted, foldText, formatValue, readLogText } from '../format/index.ts';
import { cx } from './class-names.ts';
import { CopyButton } from './copy-button.tsx';
import { EntityChip } from './entity/entity-chip.tsx';
import styles from './log-list.module.css';
import { Moment } from './moment.tsx';
import { Failure, LoadingRows, Notice } from './states/notice.tsx';

const STEP = 200;

/** Log lines, one row each; a click unfolds a line with its attributes and its trace. */
export function LogList({ answer }: { answer: UseQueryResult<LogsResponse, Error> }) {
  const { data, error, refetch } = answer;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState(STEP);
  if (error && !data) return <Failure error={error} what="Logs" onRetry={() => void refetch()} />;
  if (!data) return <LoadingRows rows={8} />;
  if (data.items.length === 0)
    return (
      <Notice
        state="unknown"
        title="No lines in this range"
        why={`${formatValue(data.scannedRows, '')} lines were looked at. Either nothing was written, the filter leaves none, or no logs arrive from here.`}
        fix={<Link to="/telemetry">See which logs arrive</Link>}
      />
    );
  const toggle = (key: string) =>
    setOpen((before) => (before.has(key) ? new Set([...before].filter((k) => k !== key)) : new Set([...before, key])));
  return (
    <div className={styles.list}>
      {data.items.slice(0, shown).map((line, i) => {
        // Identical lines at the same nanosecond do occur; their place tells them apart.
        const key = `${line.timeNs} ${line.entity} ${i}`;
        return <LogEntry key={key} line={line} isOpen={open.has(key)} onToggle={() => toggle(key)} />;
      })}
      <p className={styles.foot}>
        {Math.min(shown, data.items.length)} of {data.items.length} lines
        {data.truncated ? '; older ones were left out, narrow the range or the filter' : ''}.{' '}
        {shown < data.items.length ? (
          <button type="button" className={styles.more} onClick={() => setShown(shown + STEP)}>
            Show more
          </button>
        ) : null}
      </p>
    </div>
  );
}

interface EntryProps {
  line: LogsResponse['items'][number];
  isOpen: boolean;
  onToggle: () => void;
}

function LogEntry({ line, isOpen, onToggle }: EntryProps) {
  const { text, cutBytes } = readLogText(line.body);
  const folded = foldText(text);
  const cut =
    cutBytes === undefined ? null : (
      <span className={styles.mark}>{formatValue(cutBytes, 'bytes')} cut off before it was stored</span>
    );
  return (
    <div className={styles.entry}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the time is the button for keys */}
      <div className={styles.line} onClick={() => document.getSelection()?.isCollapsed !== false && onToggle()}>
        <button type="button" className={styles.time} aria-expanded={isOpen}>
          <Moment at={line.at} as="second" />
        </button>
        <span className={cx(styles.severity, styles[line.severity])}>{line.severity || '–'}</span>
        <span className={styles.entity}>
          <EntityChip entity={line.entity} look="plain" />
        </span>
        {isOpen ? (
          <span className={cx(styles.body, styles.whole)}>
            {text}
            {cut}
          </span>
        ) : (
          <span className={styles.folded}>
            <span className={styles.body}>
              {folded.head}
              {folded.tail === undefined ? null : <span className={styles.tail}> … {folded.tail}</span>}
            </span>
            {folded.more > 0 ? <span className={styles.mark}>{counted(folded.more, 'more line')}</span> : null}
            {cut}
          </span>
        )}
      </div>
      {isOpen ? <LogDetail line={line} /> : null}
    </div>
  );
}

function LogDetail({ line }: { line: LogsResponse['items'][number] }) {
  const { scope } = line;
  const facts = Object.entries({
    container: line.container,
    span: line.spanId,
    scope: [scope.name, scope.version].filter(Boolean).join(' '),
    ...line.attributes,
  });
  return (
    <dl className={styles.attributes}>
      {line.traceId === '' ? null : (
        <div>
          <dt>trace</dt>
          <dd>
            <Link to="/traces/$id" params={{ id: line.traceId }}>
              {line.traceId}
            </Link>
          </dd>
        </div>
      )}
      {facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      <div>
        <dt>as stored</dt>
        <dd>
          <CopyButton text={line.body} label="Copy the line as it is stored" />
        </dd>
      </div>
    </dl>
  );
}
