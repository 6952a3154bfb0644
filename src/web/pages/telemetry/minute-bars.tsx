import { formatValue } from '../../format/index.ts';
import styles from './minute-bars.module.css';

interface Props {
  /** Per minute, oldest first. */
  counts: readonly number[];
  /** How many of the last minutes nothing came, to be marked. */
  silentMinutes: number;
  label: string;
}

const STEP = 5;
const HEIGHT = 56;

/** What came in each minute of the last hour. */
export function MinuteBars({ counts, silentMinutes, label }: Props) {
  const high = Math.max(...counts, 0) || 1;
  const width = counts.length * STEP;
  const silent = Math.min(counts.length, silentMinutes);
  return (
    <figure className={styles.figure}>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={styles.bars}
        role="img"
        aria-label={label}
      >
        {silent > 0 ? (
          <rect x={width - silent * STEP} y="0" width={silent * STEP} height={HEIGHT} className={styles.silent} />
        ) : null}
        {counts.map((count, i) => {
          const height = count === 0 ? 0 : Math.max(1, (count / high) * (HEIGHT - 2));
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a minute is its place
            <rect key={i} x={i * STEP} y={HEIGHT - height} width={STEP - 1} height={height} className={styles.bar} />
          );
        })}
      </svg>
      <figcaption className={styles.axis}>
        <span>1 h ago</span>
        <span>at most {formatValue(Math.max(...counts, 0), '')} a minute</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}
