import { useQueries } from '@tanstack/react-query';
import { medianOf } from '../../charts/align.ts';
import { Panel } from '../../components/panel.tsx';
import { Loading, Notice } from '../../components/states/notice.tsx';
import { formatValue } from '../../format/index.ts';
import { useRange } from '../../page.ts';
import { signalQuery } from '../../queries.ts';
import styles from './phase-bar.module.css';

/** Phases of a request inside the engine, in the order in which it passes them, each with its fixed colour. */
const PHASES = [
  { name: 'queue', signal: 'inference.queue_time', slot: 2 },
  { name: 'prefill', signal: 'inference.prefill_time', slot: 5 },
  { name: 'decode', signal: 'inference.decode_time', slot: 1 },
] as const;

const RECENT_MS = 600_000;

/** Where the mean request spends its time: the newest ten minutes against the same range before. */
export function PhaseBar({ entityRef }: { entityRef: string }) {
  const range = useRange();
  const length = range.to - range.from;
  const recent = { ...range, from: Math.max(range.from, range.to - RECENT_MS) };
  const before = { ...range, from: range.from - length, to: range.from };
  const ask = (window: typeof range) =>
    PHASES.map(({ signal }) => signalQuery({ name: signal, entity: entityRef, stat: 'mean' as const }, window));
  const answers = useQueries({ queries: [...ask(recent), ...ask(before)] });
  const values = answers.map((answer) => medianOf(answer.data?.series[0]?.points ?? []));
  const [now, usual] = [values.slice(0, PHASES.length), values.slice(PHASES.length)];
  const scale = Math.max(total(now), total(usual));
  return (
    <Panel title="Where the time goes" note="mean request, inside the engine" signal="metrics">
      {answers.some((answer) => answer.isPending) && scale === 0 ? (
        <Loading height={168} />
      ) : scale === 0 ? (
        <Notice
          state="unknown"
          title="Not collected"
          why="The engine gives no times of queue, prefill and decode, or nothing was asked of it."
          fix="Scrape the engine's /metrics."
        />
      ) : (
        <div className={styles.phases}>
          <Bar label="now" values={now} scale={scale} />
          <Bar label="usual" values={usual} scale={scale} isFaint />
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Phase</th>
                <th scope="col">usual</th>
                <th scope="col">now</th>
                <th scope="col">change</th>
              </tr>
            </thead>
            <tbody>
              {PHASES.map(({ name, slot }, i) => (
                <tr key={name}>
                  <th scope="row">
                    <span className={styles.swatch} style={{ background: `var(--series-${slot})` }} />
                    {name}
                  </th>
                  <td>{formatValue(usual[i], 's')}</td>
                  <td>{formatValue(now[i], 's')}</td>
                  <td>{ratio(now[i], usual[i])}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function Bar({
  label,
  values,
  scale,
  isFaint,
}: {
  label: string;
  values: readonly (number | undefined)[];
  scale: number;
  isFaint?: boolean;
}) {
  return (
    <div className={styles.line}>
      <span className={styles.label}>{label}</span>
      <span className={styles.bar} style={isFaint ? { opacity: 0.5 } : undefined}>
        {PHASES.map(({ name, slot }, i) => (
          <span
            key={name}
            className={styles.part}
            title={`${name} ${formatValue(values[i], 's')}`}
            style={{ width: `${((values[i] ?? 0) / scale) * 100}%`, background: `var(--series-${slot})` }}
          />
        ))}
      </span>
      <span className={styles.total}>{total(values) === 0 ? '–' : formatValue(total(values), 's')}</span>
    </div>
  );
}

function total(values: readonly (number | undefined)[]): number {
  return values.reduce((sum: number, value) => sum + (value ?? 0), 0);
}

function ratio(now: number | undefined, usual: number | undefined): string {
  return now === undefined || !usual ? '–' : formatValue(now / usual, 'times');
}
