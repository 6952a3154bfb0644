import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { cx } from '../../components/class-names.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { formatValue } from '../../format/index.ts';
import type { SpanRow } from './span-tree.ts';
import styles from './waterfall.module.css';

interface Props {
  rows: readonly SpanRow[];
  total: number;
  selected: string | undefined;
  onSelect: (spanId: string) => void;
}

const ROW = 26;
const MOST_INDENT = 12;

/** Spans over time. The dark part of a bar is the span's own time. */
export function Waterfall({ rows, total, selected, onSelect }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 20,
  });
  const move = (event: React.KeyboardEvent, index: number) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step === undefined ? undefined : rows[index + step];
    if (!next || step === undefined) return;
    event.preventDefault();
    virtual.scrollToIndex(index + step);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${index + step}"]`)?.focus(),
    );
    if (selected !== undefined) onSelect(next.span.spanId);
  };
  return (
    <div ref={scroller} className={styles.scroller}>
      <Ruler total={total} />
      <ol style={{ height: virtual.getTotalSize() }} className={styles.rows}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          const { span, depth, offset, self } = row;
          return (
            <li key={span.spanId} className={styles.item} style={{ transform: `translateY(${start}px)` }}>
              <button
                type="button"
                data-index={index}
                className={cx(styles.row, span.spanId === selected && styles.selected)}
                onClick={() => onSelect(span.spanId)}
                onKeyDown={(event) => move(event, index)}
                aria-pressed={span.spanId === selected}
              >
                <span
                  className={styles.name}
                  style={{ paddingLeft: Math.min(depth, MOST_INDENT) * 14 }}
                  title={`${span.service} ${span.name}`}
                >
                  {span.status === 'error' ? <StateMark state="critical" size={12} /> : null}
                  {row.isOrphan ? <StateMark state="unknown" size={12} /> : null}
                  <span className={styles.service}>{span.service}</span> {span.name}
                </span>
                <span className={styles.lane}>
                  <span
                    className={styles.bar}
                    style={{ left: `${(offset / total) * 100}%`, width: `${(span.durationSeconds / total) * 100}%` }}
                  >
                    <span
                      className={styles.self}
                      style={{ width: `${span.durationSeconds > 0 ? (self / span.durationSeconds) * 100 : 100}%` }}
                    />
                  </span>
                </span>
                <span className={styles.duration}>{formatValue(span.durationSeconds, 's')}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function Ruler({ total }: { total: number }) {
  return (
    <div className={styles.ruler} aria-hidden="true">
      <span className={styles.lane}>
        {[0, 0.25, 0.5, 0.75].map((share) => (
          <span key={share} className={styles.tick} style={{ left: `${share * 100}%` }}>
            {formatValue(total * share, 's')}
          </span>
        ))}
      </span>
    </div>
  );
}
