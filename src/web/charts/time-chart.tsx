import { useEffect, useMemo, useRef, useState } from 'react';
import { cx } from '../components/class-names.ts';
import { coarse, distinctParts, formatMoment, formatValue } from '../format/index.ts';
import { useLive, useNow, useSetSearch, useZone } from '../page.ts';
import { absolute } from '../range.ts';
import { type Aligned, alignSeries, lastValue, medianOf, type Points, type Span, stackRows } from './align.ts';
import { useChartColors } from './chart-colors.ts';
import type { Hover, Line, Plot, PlotSpec } from './plot.ts';
import { createSlots } from './slots.ts';
import styles from './time-chart.module.css';

export interface ChartSeries {
  /** Equal keys have equal colours on a page. */
  key: string;
  label: string;
  points: Points;
  /** A fixed colour (0 to 11), for series whose meaning is fixed. */
  slot?: number;
  /** How it was in the compared range; drawn faint in the colour of the series with the same key. */
  isBefore?: boolean;
}

export interface ChartMarker {
  at: number;
  label: string;
}

interface Props {
  /** What the chart shows, for screen readers and the table. */
  label: string;
  unit: string;
  series: readonly ChartSeries[];
  /** Milliseconds. */
  range: { from: number; to: number; step: number };
  height?: number;
  isStacked?: boolean;
  /** A value that should not be passed. */
  threshold?: number | undefined;
  shades?: readonly Span[];
  markers?: readonly ChartMarker[];
  /** Dragging sets the page's time range. */
  canBrush?: boolean;
  hasLegend?: boolean;
}

const NO_MARKERS: readonly ChartMarker[] = [];
const NO_SHADES: readonly Span[] = [];
const MOST_COLOURED = 12;
const slotsOfPage = createSlots();

/** Series over time. Hovering moves one cursor over all charts of the page; dragging sets the time range of the page. */
export function TimeChart({
  label,
  unit,
  series: all,
  range,
  height = 160,
  isStacked = false,
  threshold,
  shades = NO_SHADES,
  markers = NO_MARKERS,
  canBrush = true,
  hasLegend = true,
}: Props) {
  const zone = useZone();
  const live = useLive();
  const setSearch = useSetSearch();
  const colors = useChartColors();
  const [width, host] = useWidth();
  const [hover, setHover] = useState<Hover>();
  const [pinned, setPinned] = useState<Hover>();
  const [only, setOnly] = useState<ReadonlySet<string>>();
  const [isUnfolded, setUnfolded] = useState(false);
  const plot = useRef<Plot>(undefined);

  const series = useMemo(() => (isUnfolded ? all : topSeries(all)), [all, isUnfolded]);
  const maxGap = range.step * 3;
  const aligned = useMemo(() => {
    const result = alignSeries(
      series.map((s) => s.points),
      maxGap,
    );
    return isStacked ? { ...result, rows: stackRows(result.rows) } : result;
  }, [series, maxGap, isStacked]);
  const lines = useMemo(() => linesOf(series, colors.series, only), [series, colors, only]);
  const spec = useMemo(
    (): PlotSpec => ({
      width,
      height,
      range: { from: range.from / 1000, to: range.to / 1000 },
      lines,
      aligned,
      isStacked,
      unit,
      zone,
      threshold,
      shades: shades.map((span) => ({ from: span.from / 1000, to: span.to / 1000, color: colors.shade })),
      maxGap,
      colors,
      onBrush: canBrush ? (span) => setSearch(absolute(span.from * 1000, span.to * 1000, live.now())) : undefined,
      onHover: setHover,
    }),
    [
      width,
      height,
      range.from,
      range.to,
      lines,
      aligned,
      isStacked,
      unit,
      zone,
      threshold,
      shades,
      maxGap,
      colors,
      canBrush,
      setSearch,
      live,
    ],
  );

  useEffect(() => {
    const element = host.current;
    if (!element || width === 0) return;
    if (plot.current) return plot.current.update(spec);
    let isGone = false;
    void import('./plot.ts').then(({ mountPlot }) => {
      if (!isGone && !plot.current) plot.current = mountPlot(element, spec);
    });
    return () => {
      isGone = true;
    };
  }, [spec, width, host]);
  useEffect(
    () => () => {
      plot.current?.destroy();
      plot.current = undefined;
    },
    [],
  );
  usePin(pinned, () => setPinned(undefined));

  const shown = pinned ?? (hover?.isHere ? hover : undefined);
  const folded = all.length - series.length;
  return (
    <figure className={styles.chart} aria-label={describe(label, all, unit)}>
      {hasLegend && (all.length > 1 || all.some((s) => s.isBefore)) ? (
        <Legend
          series={series}
          lines={lines}
          unit={unit}
          hover={hover}
          rows={aligned.rows}
          isStacked={isStacked}
          only={only}
          onOnly={setOnly}
          onFocus={(line) => plot.current?.focus(line)}
          folded={folded}
          onUnfold={() => setUnfolded(true)}
        />
      ) : null}
      <div className={styles.plot} style={{ height }}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the pointer's way to pin; Escape frees */}
        <div
          ref={host}
          className={styles.canvas}
          onClick={() => setPinned(pinned ? undefined : hover?.isHere ? hover : undefined)}
        />
        <Markers markers={markers} range={range} width={width} />
        {shown ? (
          <Tooltip
            hover={shown}
            isPinned={pinned !== undefined}
            series={series}
            lines={lines}
            times={aligned.times}
            unit={unit}
            width={width}
          />
        ) : null}
      </div>
    </figure>
  );
}

function linesOf(
  series: readonly ChartSeries[],
  palette: readonly string[],
  only: ReadonlySet<string> | undefined,
): Line[] {
  const slots = slotsOfPage(series.filter((s) => s.slot === undefined).map((s) => s.key));
  return series.map((s, i) => ({
    key: s.isBefore ? `${s.key} before` : s.key,
    color: palette[s.slot ?? slots.get(s.key) ?? 0] ?? '#888888',
    ...(s.isBefore ? { isBefore: true, dash: [2, 3] } : i >= 6 ? { dash: [6, 3] } : {}),
    isHidden: only !== undefined && !only.has(s.key),
  }));
}

/** The twelve highest by their newest value; the others wait behind "show all". */
function topSeries(series: readonly ChartSeries[]): readonly ChartSeries[] {
  if (series.length <= MOST_COLOURED) return series;
  const size = (s: ChartSeries) => lastValue(s.points)?.value ?? Number.NEGATIVE_INFINITY;
  const kept = new Set([...series].sort((a, b) => size(b) - size(a)).slice(0, MOST_COLOURED));
  return series.filter((s) => kept.has(s));
}

interface LegendProps {
  series: readonly ChartSeries[];
  lines: readonly Line[];
  rows: Aligned['rows'];
  isStacked: boolean;
  unit: string;
  hover: Hover | undefined;
  only: ReadonlySet<string> | undefined;
  onOnly: (only: ReadonlySet<string> | undefined) => void;
  onFocus: (line: number | undefined) => void;
  folded: number;
  onUnfold: () => void;
}

/** Names with their value at the cursor, or the newest. Click shows only one, shift-click adds one. */
function Legend({ series, lines, rows, isStacked, unit, hover, only, onOnly, onFocus, folded, onUnfold }: LegendProps) {
  const names = useMemo(() => distinctParts(series.map((s) => s.label)), [series]);
  const choose = (key: string, isAdding: boolean) => {
    if (isAdding && only) onOnly(new Set(only.has(key) ? [...only].filter((k) => k !== key) : [...only, key]));
    else onOnly(only?.size === 1 && only.has(key) ? undefined : new Set([key]));
  };
  return (
    <div className={styles.legend}>
      {series.map((s, i) => {
        const line = lines[i];
        const name = names[i];
        if (!line || s.isBefore) return null;
        const at = hover ? valueAt(rows, i, hover.index, isStacked) : lastValue(s.points)?.value;
        return (
          <button
            key={line.key}
            type="button"
            className={cx(styles.name, line.isHidden && styles.off)}
            aria-pressed={only ? only.has(s.key) : undefined}
            onClick={(event) => choose(s.key, event.shiftKey)}
            onPointerEnter={() => onFocus(i)}
            onPointerLeave={() => onFocus(undefined)}
          >
            <span className={styles.swatch} style={{ background: line.color }} />
            <span className={styles.shared}>{name?.prefix}</span>
            {name?.own}
            <span className={styles.shared}>{name?.suffix}</span>
            <span className={styles.value}>{formatValue(at, unit)}</span>
          </button>
        );
      })}
      {series.some((s) => s.isBefore) ? (
        <span className={styles.before}>
          <span className={styles.dashes} /> before
        </span>
      ) : null}
      {folded > 0 ? (
        <button type="button" className={styles.more} onClick={onUnfold}>
          {series.length} of {series.length + folded} series, show all
        </button>
      ) : null}
    </div>
  );
}

function valueAt(rows: Aligned['rows'], line: number, index: number, isStacked: boolean): number | null {
  const value = rows[line]?.[index] ?? null;
  return isStacked && value !== null && line > 0 ? value - (rows[line - 1]?.[index] ?? 0) : value;
}

interface TooltipProps {
  hover: Hover;
  isPinned: boolean;
  series: readonly ChartSeries[];
  lines: readonly Line[];
  times: readonly number[];
  unit: string;
  width: number;
}

const TIP_ROWS = 8;

function Tooltip({ hover, isPinned, series, lines, times, unit, width }: TooltipProps) {
  const zone = useZone();
  const now = useNow();
  const time = times[hover.index] ?? 0;
  const rows = series
    .map((s, i) => ({ s, i, point: s.points.findLast(([t, v]) => t <= time + 0.001 && v !== null) }))
    .filter(({ i }) => lines[i]?.isHidden !== true)
    .sort((a, b) => (b.point?.[1] ?? -1) - (a.point?.[1] ?? -1));
  const isRight = hover.left > width / 2;
  const place = isRight ? { right: width - hover.left + 12 } : { left: hover.left + 12 };
  return (
    <div className={cx(styles.tip, isPinned && styles.pinned)} style={{ ...place, top: 4 }}>
      <div className={styles.time}>{formatMoment(time * 1000, zone, now)}</div>
      {rows.slice(0, TIP_ROWS).map(({ s, i, point }) => {
        const age = point ? time - point[0] : undefined;
        return (
          <div key={lines[i]?.key} className={cx(styles.row, hover.line === i && styles.near)}>
            <span className={styles.swatch} style={{ background: lines[i]?.color, opacity: s.isBefore ? 0.45 : 1 }} />
            <span className={styles.tipName}>
              {s.label}
              {s.isBefore ? ' before' : ''}
            </span>
            <span className={styles.value}>
              {point === undefined
                ? 'no sample'
                : age !== undefined && age > 60 && age > 3 * spacing(s.points)
                  ? `no sample, last ${coarse(age)} before`
                  : formatValue(point[1], unit)}
            </span>
          </div>
        );
      })}
      {rows.length > TIP_ROWS ? <div className={styles.time}>and {rows.length - TIP_ROWS} more</div> : null}
    </div>
  );
}

function spacing(points: Points): number {
  return (points[1]?.[0] ?? 15) - (points[0]?.[0] ?? 0);
}

/** Changes as ▾ on the time axis. */
function Markers({ markers, range, width }: { markers: readonly ChartMarker[]; range: Span; width: number }) {
  const usable = width - LEFT - RIGHT;
  const groups: { x: number; labels: string[] }[] = [];
  for (const { at, label } of [...markers].sort((a, b) => a.at - b.at)) {
    if (at < range.from || at > range.to) continue;
    const x = LEFT + ((at - range.from) / (range.to - range.from)) * usable;
    const last = groups.at(-1);
    if (last && x - last.x < 10) last.labels.push(label);
    else groups.push({ x, labels: [label] });
  }
  return groups.map(({ x, labels }) => (
    <span
      key={x}
      className={styles.marker}
      style={{ left: x }}
      title={labels.join('\n')}
      role="img"
      aria-label={`Change: ${labels.join('; ')}`}
    >
      ▾
    </span>
  ));
}

/** As in the plot, which is loaded later. */
const LEFT = 44;
const RIGHT = 18;

function useWidth(): [number, React.RefObject<HTMLDivElement | null>] {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [width, host];
}

/** While text is pinned the page must not move under it; Escape frees. */
function usePin(pinned: Hover | undefined, onFree: () => void) {
  const live = useLive();
  const free = useRef(onFree);
  free.current = onFree;
  const isPinned = pinned !== undefined;
  useEffect(() => {
    if (!isPinned) return;
    const resume = live.pause();
    const key = (event: KeyboardEvent) => event.key === 'Escape' && free.current();
    document.addEventListener('keydown', key);
    return () => {
      resume();
      document.removeEventListener('keydown', key);
    };
  }, [isPinned, live]);
}

function describe(label: string, series: readonly ChartSeries[], unit: string): string {
  const parts = series
    .filter((s) => !s.isBefore)
    .slice(0, 6)
    .map(
      (s) =>
        `${s.label}: median ${formatValue(medianOf(s.points), unit)}, last ${formatValue(lastValue(s.points)?.value, unit)}`,
    );
  return `Chart of ${label}. ${parts.join('. ') || 'No data'}`;
}
