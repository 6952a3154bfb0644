import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { axisDivisor, formatTicks, formatTimeTicks, type Zone } from '../format/index.ts';
import { type Aligned, emptySpans, type Span } from './align.ts';
import { niceTicks } from './ticks.ts';

/** Everything that one drawing of a chart depends on. Times are epoch seconds, lengths CSS pixels. */
export interface PlotSpec {
  width: number;
  height: number;
  range: Span;
  lines: readonly Line[];
  aligned: Aligned;
  isStacked: boolean;
  unit: string;
  zone: Zone;
  threshold: number | undefined;
  shades: readonly (Span & { color: string })[];
  maxGap: number;
  colors: PlotColors;
  onBrush: ((range: Span) => void) | undefined;
  onHover: (hover: Hover | undefined) => void;
}

export interface Line {
  key: string;
  color: string;
  dash?: number[];
  isBefore?: boolean;
  isHidden?: boolean;
}

export interface PlotColors {
  grid: string;
  text: string;
  hatch: string;
  threshold: string;
}

export interface Hover {
  /** Index into the aligned times. */
  index: number;
  left: number;
  top: number;
  /** The line nearest to the pointer, when one is near. */
  line: number | undefined;
  /** The pointer is over this chart, not over another of the page. */
  isHere: boolean;
}

export interface Plot {
  update(spec: PlotSpec): void;
  focus(line: number | undefined): void;
  destroy(): void;
}

/** Room for the y axis and at the right, the same for all charts so that their times line up. */
export const PLOT_LEFT = 44;
export const PLOT_RIGHT = 18;
const PLOT_TOP = 18;
const X_AXIS = 22;
/** Of the axis' font of 11 px. */
const DIGIT_WIDTH = 6.4;
const FOCUS_UP_TO = 60;

export function mountPlot(host: HTMLElement, first: PlotSpec): Plot {
  let spec = first;
  let chart = build(host, () => spec);
  return {
    update(next) {
      const isSameShape = shapeOf(next) === shapeOf(spec);
      const isSameSize = next.width === spec.width && next.height === spec.height;
      spec = next;
      if (!isSameShape) {
        chart.destroy();
        chart = build(host, () => spec);
        return;
      }
      if (!isSameSize) chart.setSize({ width: next.width, height: next.height });
      chart.batch(() => {
        chart.setData(dataOf(spec), false);
        chart.setScale('x', { min: spec.range.from, max: spec.range.to });
      });
    },
    focus(line) {
      chart.setSeries(line === undefined ? null : line + 1, { focus: true }, false);
    },
    destroy: () => chart.destroy(),
  };
}

/** What needs a new chart when it differs; the rest can be set on the old one. */
function shapeOf(spec: PlotSpec): string {
  return JSON.stringify([
    spec.lines,
    spec.isStacked,
    spec.unit,
    spec.zone,
    spec.threshold,
    spec.shades,
    spec.colors,
    spec.onBrush !== undefined,
  ]);
}

function build(host: HTMLElement, spec: () => PlotSpec): uPlot {
  const { lines, colors, isStacked } = spec();
  const isFocusable = lines.length <= FOCUS_UP_TO;
  let isHere = false;
  let nearest: number | undefined;
  const font = `11px ${getComputedStyle(host).fontFamily}`;
  const axis = { stroke: colors.text, font, ticks: { show: false }, border: { show: false } };
  const chart = new uPlot(
    {
      width: spec().width,
      height: spec().height,
      legend: { show: false },
      padding: [PLOT_TOP, PLOT_RIGHT, 0, 0],
      ms: 1e-3,
      tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), spec().zone === 'UTC' ? 'Etc/UTC' : spec().zone),
      scales: {
        x: { time: true, range: () => [spec().range.from, spec().range.to] },
        y: { range: (_chart, low, high) => yRange(low, high, spec()) },
      },
      axes: [
        {
          ...axis,
          size: X_AXIS,
          gap: 4,
          space: 72,
          grid: { show: false },
          values: (u, splits) =>
            formatTimeTicks(
              splits.map((s) => s * 1000),
              spec().zone,
            ).map((text, i) => (fitsAt(u, splits[i] ?? 0, text) ? text : '')),
        },
        {
          ...axis,
          size: PLOT_LEFT,
          gap: 6,
          grid: { stroke: colors.grid, width: 1 },
          splits: (_chart, _axis, low, high) =>
            niceTicks(low, high, axisDivisor(high, spec().unit), spec().height < 120 ? 2 : 4),
          values: (_chart, splits) => tickTexts(splits, spec().unit),
        },
      ],
      series: [
        {},
        ...lines.map(
          (line, i): uPlot.Series => ({
            label: line.key,
            stroke: line.color,
            width: isStacked ? 1 : 1.5,
            alpha: line.isBefore ? 0.45 : 1,
            show: line.isHidden !== true,
            ...(line.dash ? { dash: line.dash } : {}),
            ...(isStacked && i === 0 ? { fill: translucent(line.color, 0.55) } : {}),
            ...(!isStacked && lines.length === 1 ? { fill: translucent(line.color, 0.08) } : {}),
            points: { show: isolatedPoints, size: 4, fill: line.color, width: 0 },
          }),
        ),
      ],
      bands: isStacked
        ? lines
            .slice(1)
            .map((line, i) => ({ series: [i + 2, i + 1] as [number, number], fill: translucent(line.color, 0.55) }))
        : [],
      focus: { alpha: 0.35 },
      cursor: {
        y: false,
        points: { size: 6, width: 0 },
        drag: { x: spec().onBrush !== undefined, y: false, setScale: false, dist: 4 },
        sync: { key: 'page', setSeries: false, scales: ['x', null] },
        ...(isFocusable && !isStacked ? { focus: { prox: 16 } } : {}),
      },
      hooks: {
        drawClear: [(u) => drawShades(u, spec()), (u) => drawGaps(u, spec())],
        draw: [(u) => drawThreshold(u, spec()), (u) => drawUnit(u, spec(), font)],
        setSeries: [
          (_u, index) => {
            nearest = index === null ? undefined : index - 1;
          },
        ],
        setCursor: [
          (u) => {
            const { idx, left = -1, top = -1 } = u.cursor;
            spec().onHover(
              idx === null || idx === undefined || left < 0
                ? undefined
                : { index: idx, left: left + PLOT_LEFT, top: top + PLOT_TOP, line: nearest, isHere },
            );
          },
        ],
        setSelect: [
          (u) => {
            if (u.select.width < 4) return;
            spec().onBrush?.({
              from: u.posToVal(u.select.left, 'x'),
              to: u.posToVal(u.select.left + u.select.width, 'x'),
            });
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    },
    dataOf(spec()),
    host,
  );
  chart.over.addEventListener('pointerenter', () => {
    isHere = true;
  });
  chart.over.addEventListener('pointerleave', () => {
    isHere = false;
    spec().onHover(undefined);
  });
  return chart;
}

function dataOf({ aligned }: PlotSpec): uPlot.AlignedData {
  return [aligned.times, ...aligned.rows];
}

/** From zero, so that heights can be compared; the threshold is in sight when the values come near it. */
function yRange(low: number | null, high: number | null, { threshold }: PlotSpec): [number, number] {
  if (low === null || high === null) return [0, 1];
  const near = threshold !== undefined && threshold < high * 3 ? threshold : 0;
  const top = Math.max(high, near, 0);
  const bottom = Math.min(low, 0);
  if (top === bottom) return [0, 1];
  return [bottom * 1.06, top * 1.06];
}

/** Whether a label under its tick ends before the chart does; half a label would be misread. */
function fitsAt(u: uPlot, tick: number, text: string): boolean {
  const half = (text.length * DIGIT_WIDTH) / 2;
  return u.valToPos(tick, 'x') + half <= u.bbox.width / uPlot.pxRatio + PLOT_RIGHT;
}

/** The unit stands above the axis, once, so the ticks are plain numbers. */
function tickTexts(splits: readonly number[], unit: string): string[] {
  return formatTicks(splits, unit).map((text) =>
    text
      .split('\u2009')
      .filter((part) => /\d/.test(part))
      .join('\u2009'),
  );
}

function drawUnit(u: uPlot, spec: PlotSpec, font: string) {
  const top = u.scales.y?.max ?? 0;
  const text = formatTicks(niceTicks(0, top, axisDivisor(top, spec.unit)), spec.unit).at(-1) ?? '';
  const unit = text
    .split('\u2009')
    .filter((part) => !/\d/.test(part))
    .join(' ');
  if (unit === '') return;
  const ratio = uPlot.pxRatio;
  u.ctx.save();
  u.ctx.font = font.replace('11px', `${11 * ratio}px`);
  u.ctx.fillStyle = spec.colors.text;
  u.ctx.textAlign = 'left';
  u.ctx.textBaseline = 'top';
  u.ctx.fillText(unit, 2 * ratio, 0);
  u.ctx.restore();
}

function drawThreshold(u: uPlot, { threshold, colors }: PlotSpec) {
  if (threshold === undefined || threshold > (u.scales.y?.max ?? 0)) return;
  const y = Math.round(u.valToPos(threshold, 'y', true)) + 0.5;
  const { left, width } = u.bbox;
  u.ctx.save();
  u.ctx.strokeStyle = colors.threshold;
  u.ctx.lineWidth = uPlot.pxRatio;
  u.ctx.setLineDash([4 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
  u.ctx.beginPath();
  u.ctx.moveTo(left, y);
  u.ctx.lineTo(left + width, y);
  u.ctx.stroke();
  u.ctx.restore();
}

function drawShades(u: uPlot, { shades }: PlotSpec) {
  for (const { from, to, color } of shades) {
    const [x, width] = extent(u, { from, to });
    u.ctx.fillStyle = color;
    u.ctx.fillRect(x, u.bbox.top, width, u.bbox.height);
  }
}

/** Hatches the time for which nothing was collected: an empty area could be read as zero. */
function drawGaps(u: uPlot, spec: PlotSpec) {
  const now = Date.now() / 1000;
  for (const span of emptySpans(spec.aligned, spec.range, spec.maxGap)) {
    if (span.from >= now - spec.maxGap) continue;
    const [x, width] = extent(u, span);
    const { top, height } = u.bbox;
    const gap = 6 * uPlot.pxRatio;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(x, top, width, height);
    u.ctx.clip();
    u.ctx.strokeStyle = spec.colors.hatch;
    u.ctx.lineWidth = uPlot.pxRatio;
    u.ctx.beginPath();
    for (let at = x - height; at < x + width; at += gap) {
      u.ctx.moveTo(at, top + height);
      u.ctx.lineTo(at + height, top);
    }
    u.ctx.stroke();
    u.ctx.restore();
  }
}

function extent(u: uPlot, { from, to }: Span): [x: number, width: number] {
  const left = Math.max(u.bbox.left, u.valToPos(from, 'x', true));
  const right = Math.min(u.bbox.left + u.bbox.width, u.valToPos(to, 'x', true));
  return [left, Math.max(0, right - left)];
}

/** A value with nothing on either side would be invisible as a line. */
function isolatedPoints(u: uPlot, seriesIndex: number): boolean {
  const row = u.data[seriesIndex] ?? [];
  let count = 0;
  for (const value of row) if (typeof value === 'number' && ++count > 2) return false;
  return count > 0;
}

function translucent(color: string, alpha: number): string {
  return `color-mix(in srgb, ${color} ${alpha * 100}%, transparent)`;
}
