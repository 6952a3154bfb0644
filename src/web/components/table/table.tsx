import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { cx } from '../class-names.ts';
import { useScreen } from '../use-screen.ts';
import { fitColumns } from './fit-columns.ts';
import { type SortOrder, sortRows } from './sort.ts';
import styles from './table.module.css';

export interface Column<Row> {
  id: string;
  head: string;
  /** The unit of a whole column, behind its name. */
  unit?: string;
  /** A track of a CSS grid: `minmax(160px, 2fr)`, `72px`. */
  width: string;
  align?: 'right';
  /** Explains the column on hover. */
  hint?: string;
  /** Makes the column sortable. Rows without a value come last either way. */
  value?: (row: Row) => number | string | null | undefined;
  cell: (row: Row) => ReactNode;
  /** On a phone each row is a small block: its title, and only the columns that are wanted there. */
  phone?: 'title' | 'show' | 'hide';
  /** Left out when there is no room: `wide` columns first, then `medium` ones. */
  from?: 'wide' | 'medium';
}

interface Props<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Names the table for screen readers. */
  label: string;
  /** The order in which rows come when nobody chose another. */
  initialSort?: SortOrder;
  selectedKey?: string | undefined;
  /** Called when arrows or a click move to a row; the row's own link opens its page. */
  onSelect?: (row: Row) => void;
  empty?: ReactNode;
  /** How many rows are shown until more are asked for; the order is that of all. */
  fold?: number;
}

const ROW = 28;
const PHONE_ROW = 64;
const VIRTUAL_FROM = 100;
/** Fewer than these are not worth folding away. */
const FEW = 4;

/** Rows of 28 px under a head that stays; long lists draw only what is seen. Arrow keys move between rows, Enter opens. */
export function Table<Row>({
  columns: allColumns,
  rows,
  rowKey,
  label,
  initialSort,
  selectedKey,
  onSelect,
  empty,
  fold,
}: Props<Row>) {
  const [order, setOrder] = useState(initialSort);
  const box = useRef<HTMLDivElement>(null);
  const isPhone = useScreen() === 'phone';
  const room = useWidth(box);
  const columns = isPhone
    ? allColumns.filter((column) => (column.phone ?? 'hide') !== 'hide')
    : fitColumns(allColumns, room);
  const all = sortRows(
    rows,
    allColumns.find((column) => column.id === order?.column)?.value,
    order?.descending ?? false,
  );
  const [isUnfolded, setUnfolded] = useState(false);
  const isFolded = fold !== undefined && !isUnfolded && all.length > fold + FEW;
  const sorted = isFolded ? all.filter((row, i) => i < fold || rowKey(row) === selectedKey) : all;
  const rowHeight = isPhone ? PHONE_ROW : ROW;
  const isVirtual = sorted.length >= VIRTUAL_FROM;
  const { scroller, margin } = useScroller(box);
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: margin,
    enabled: isVirtual,
  });
  const shown = isVirtual
    ? virtual.getVirtualItems().map((item) => ({ index: item.index, offset: item.start - margin }))
    : sorted.map((_, index) => ({ index, offset: undefined }));

  // Keys come faster than rows are drawn and focused: steps count from where the last one wanted to go.
  const goal = useRef<number>(undefined);
  const focusGoal = (tries: number) => {
    if (goal.current === undefined) return;
    const link = box.current?.querySelector<HTMLElement>(`[data-index="${goal.current}"] [data-row-link]`);
    link?.focus();
    if (link || tries === 0) goal.current = undefined;
    else requestAnimationFrame(() => focusGoal(tries - 1));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
    if (step === undefined || !(event.target instanceof Element)) return;
    const current = event.target.closest<HTMLElement>('[data-index]');
    if (!current) return;
    event.preventDefault();
    const isWaiting = goal.current !== undefined;
    goal.current = Math.max(0, Math.min(sorted.length - 1, (goal.current ?? Number(current.dataset.index)) + step));
    if (isVirtual) virtual.scrollToIndex(goal.current);
    if (!isWaiting) requestAnimationFrame(() => focusGoal(20));
  };
  // React's type of styles doesn't know custom properties.
  const columnsTrack = { '--columns': columns.map((column) => column.width).join(' ') } as React.CSSProperties;

  return (
    <div ref={box} className={styles.box}>
      {rows.length === 0 && empty !== undefined ? (
        empty
      ) : (
        <table
          className={styles.table}
          style={columnsTrack}
          aria-label={label}
          aria-rowcount={sorted.length + 1}
          onKeyDown={onKeyDown}
        >
          <thead className={styles.head}>
            <tr className={styles.row}>
              {columns.map((column) => (
                <HeadCell key={column.id} column={column} order={order} onOrder={setOrder} />
              ))}
            </tr>
          </thead>
          <tbody
            className={cx(isVirtual && styles.virtual)}
            style={isVirtual ? { height: virtual.getTotalSize() } : undefined}
          >
            {shown.map(({ index, offset }) => {
              const row = sorted[index];
              if (row === undefined) return null;
              const key = rowKey(row);
              return (
                <tr
                  key={key}
                  data-index={index}
                  aria-rowindex={index + 2}
                  aria-selected={selectedKey === undefined ? undefined : key === selectedKey}
                  className={cx(styles.row, styles.body, key === selectedKey && styles.selected)}
                  style={offset === undefined ? undefined : { transform: `translateY(${offset}px)` }}
                  onClick={(event) => {
                    if (isOwnClick(event)) return;
                    if (onSelect) onSelect(row);
                    else event.currentTarget.querySelector<HTMLElement>('[data-row-link]')?.click();
                  }}
                  onFocus={(event) => {
                    if (event.target.matches('[data-row-link]:focus-visible')) onSelect?.(row);
                  }}
                >
                  {columns.map((column) => (
                    <td
                      key={column.id}
                      className={cellClass(column)}
                      data-head={column.unit ? `${column.head} ${column.unit}` : column.head}
                    >
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {isFolded ? (
        <p className={styles.foot}>
          {sorted.length} of {all.length} rows.{' '}
          <button type="button" className={styles.more} onClick={() => setUnfolded(true)}>
            Show all
          </button>
        </p>
      ) : null}
    </div>
  );
}

function HeadCell<Row>({
  column,
  order,
  onOrder,
}: {
  column: Column<Row>;
  order: SortOrder | undefined;
  onOrder: (order: SortOrder) => void;
}) {
  const isSorted = order?.column === column.id;
  const words = (
    <>
      {column.head}
      {column.unit ? <span className={styles.unit}> {column.unit}</span> : null}
    </>
  );
  return (
    <th
      scope="col"
      className={cellClass(column)}
      title={column.hint}
      aria-sort={isSorted ? (order.descending ? 'descending' : 'ascending') : undefined}
    >
      {column.value === undefined ? (
        words
      ) : (
        <button
          type="button"
          className={styles.sort}
          onClick={() =>
            onOrder({ column: column.id, descending: isSorted ? !order.descending : column.align === 'right' })
          }
        >
          {words}
          {isSorted ? <span aria-hidden="true"> {order.descending ? '↓' : '↑'}</span> : null}
        </button>
      )}
    </th>
  );
}

function cellClass<Row>(column: Column<Row>): string {
  return cx(styles.cell, column.align === 'right' && styles.right, styles[`phone-${column.phone ?? 'hide'}`]);
}

/** A click on a link, a button or while selecting text is not a click on the row. */
function isOwnClick(event: MouseEvent): boolean {
  const inside = event.target instanceof Element && event.target.closest('a, button, input');
  return Boolean(inside) || document.getSelection()?.isCollapsed === false;
}

/** Its width in pixels; unlimited until it is known, which is before the first paint. */
function useWidth(box: React.RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return width;
}

/** The element that scrolls, and how far down in it the rows begin. */
function useScroller(box: React.RefObject<HTMLDivElement | null>): { scroller: HTMLElement | null; margin: number } {
  const [place, setPlace] = useState<{ scroller: HTMLElement | null; margin: number }>({ scroller: null, margin: 0 });
  useLayoutEffect(() => {
    const scroller = box.current?.closest<HTMLElement>('[data-scroller]') ?? document.documentElement;
    if (!box.current) return;
    const margin =
      box.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop + ROW;
    setPlace((before) =>
      before.scroller === scroller && Math.abs(before.margin - margin) < 1 ? before : { scroller, margin },
    );
  });
  return place;
}
