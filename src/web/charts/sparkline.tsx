import { cx } from '../components/class-names.ts';
import { lastValue, type Points } from './align.ts';
import styles from './sparkline.module.css';

interface Props {
  points: Points;
  range: { from: number; to: number; step: number };
  /** Milliseconds at which something changed. */
  markers?: readonly number[];
  /** Drawn when values come near it. */
  threshold?: number | undefined;
  isTrouble?: boolean;
  label: string;
}

const WIDTH = 120;
const HEIGHT = 20;

/** The shape of one series in a row of a table. Breaks where nothing was collected. */
export function Sparkline({ points, range, markers = [], threshold, isTrouble, label }: Props) {
  const values = points.map(([, v]) => v).filter((v): v is number => v !== null && Number.isFinite(v));
  if (values.length === 0) return <span className={styles.none}>–</span>;
  const high = Math.max(...values, threshold !== undefined && threshold < Math.max(...values) * 2 ? threshold : 0) || 1;
  const x = (ms: number) => ((ms - range.from) / (range.to - range.from)) * WIDTH;
  const y = (value: number) => HEIGHT - 2 - (value / high) * (HEIGHT - 5);
  const last = lastValue(points);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      className={cx(styles.spark, isTrouble && styles.trouble)}
      role="img"
      aria-label={label}
    >
      {threshold !== undefined && threshold <= high ? (
        <path d={`M0 ${y(threshold)}H${WIDTH}`} className={styles.threshold} />
      ) : null}
      <path d={pathOf(points, range.step * 3, x, y)} className={styles.line} />
      {last ? (
        <circle cx={Math.min(WIDTH - 1.5, x(last.at * 1000))} cy={y(last.value)} r="1.75" className={styles.dot} />
      ) : null}
      {markers
        .filter((at) => at >= range.from && at <= range.to)
        .map((at) => (
          <path key={at} d={`M${x(at) - 3} ${HEIGHT - 5}h6l-3 4.5z`} className={styles.marker} />
        ))}
    </svg>
  );
}

function pathOf(points: Points, maxGap: number, x: (ms: number) => number, y: (value: number) => number): string {
  let path = '';
  let before: number | undefined;
  for (const [t, value] of points) {
    if (value === null || !Number.isFinite(value)) continue;
    path += `${before === undefined || t - before > maxGap ? 'M' : 'L'}${x(t * 1000).toFixed(1)} ${y(value).toFixed(1)}`;
    before = t;
  }
  return path;
}
