import { ActionIcon, Popover, Tooltip } from '@mantine/core';
import { IconChartLine, IconCode, IconTable } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { SignalResponse } from '../../api/contract/index.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { entityName } from '../components/entity/entity-chip.tsx';
import { Panel } from '../components/panel.tsx';
import { Failure, Loading, Notice } from '../components/states/notice.tsx';
import { formatValue } from '../format/index.ts';
import { usePageSearch, useRange } from '../page.ts';
import { type SignalAsk, signalQuery } from '../queries.ts';
import { comparedRange } from '../range.ts';
import { lastValue, medianOf, type Points } from './align.ts';
import styles from './signal-panel.module.css';
import { type ChartMarker, type ChartSeries, TimeChart } from './time-chart.tsx';

export interface PanelSignal extends SignalAsk {
  /** What this line is called; left out, lines are called by their entity. */
  label?: string;
  slot?: number;
}

interface Props {
  title: string;
  signals: readonly PanelSignal[];
  /** How the catalogue's unit is written here: output tokens come as `1/s`. */
  unit?: string;
  height?: number;
  isStacked?: boolean;
  threshold?: number;
  markers?: readonly ChartMarker[];
  note?: React.ReactNode;
}

/** Canonical signals of an entity over the page's range: chart, its numbers as a table, and the queries behind them. */
export function SignalPanel({
  title,
  signals,
  unit: wantedUnit,
  height = 148,
  isStacked,
  threshold,
  markers,
  note,
}: Props) {
  const range = useRange();
  const { compare } = usePageSearch();
  const before = comparedRange(range, compare);
  const [isTable, setTable] = useState(false);
  const [isSeen, body] = useSeen();
  const answers = useQueries({
    queries: signals.map((signal) => ({ ...signalQuery(signal, range), enabled: isSeen })),
  });
  const befores = useQueries({
    queries: before ? signals.map((signal) => ({ ...signalQuery(signal, before), enabled: isSeen })) : [],
  });
  const data = answers.map((answer) => answer.data);
  const unit = wantedUnit ?? data.find((answer) => answer)?.unit ?? '';
  const shift = before ? (range.from - before.from) / 1000 : 0;
  const series = [
    ...seriesOf(signals, data),
    ...seriesOf(
      signals,
      befores.map((answer) => answer.data),
    ).map((s) => ({ ...s, isBefore: true, points: s.points.map(([t, v]): [number, number | null] => [t + shift, v]) })),
  ];
  const failure = answers.find((answer) => answer.error)?.error;
  const isLoading = answers.some((answer) => answer.isPending) && series.length === 0 && !failure;
  const queries = data.flatMap((answer) => answer?.sources ?? []);
  return (
    <Panel
      title={title}
      note={note}
      signal="metrics"
      actions={
        <span className={styles.actions}>
          {queries.length > 0 ? <QueryButton queries={queries} /> : null}
          <Tooltip label={isTable ? 'As a chart' : 'As a table'} openDelay={300}>
            <ActionIcon
              variant="subtle"
              size={24}
              aria-label={isTable ? 'Show as a chart' : 'Show as a table'}
              onClick={() => setTable(!isTable)}
            >
              {isTable ? <IconChartLine size={14} stroke={1.5} /> : <IconTable size={14} stroke={1.5} />}
            </ActionIcon>
          </Tooltip>
        </span>
      }
    >
      <div ref={body}>
        {failure && series.length === 0 ? (
          <Failure error={failure} what={title} onRetry={() => answers.forEach((answer) => void answer.refetch())} />
        ) : isLoading ? (
          <Loading height={height + 20} />
        ) : series.length === 0 ? (
          <Missing answers={data} height={height + 20} />
        ) : isTable ? (
          <SeriesTable series={series} unit={unit} height={height + 20} />
        ) : (
          <TimeChart
            label={title}
            unit={unit}
            series={series}
            range={range}
            height={height}
            threshold={threshold}
            {...(isStacked ? { isStacked } : {})}
            {...(markers ? { markers } : {})}
          />
        )}
      </div>
    </Panel>
  );
}

function seriesOf(signals: readonly PanelSignal[], answers: readonly (SignalResponse | undefined)[]): ChartSeries[] {
  return answers.flatMap((answer, i) => {
    const signal = signals[i];
    if (!answer || !signal) return [];
    return answer.series
      .filter((s) => s.points.some(([, v]) => v !== null))
      .map((s) => ({
        key: signal.label === undefined ? s.entity : `${signal.name} ${signal.stat ?? ''} ${s.entity}`,
        label: nameOf(signal, s, answer.series.length),
        points: s.points,
        ...(signal.slot === undefined ? {} : { slot: signal.slot }),
      }));
  });
}

function nameOf(signal: PanelSignal, series: SignalResponse['series'][number], count: number): string {
  if (signal.label !== undefined && count === 1) return signal.label;
  const name = entityName(series.entity);
  return signal.label === undefined ? name : `${name} ${signal.label}`;
}

function Missing({ answers, height }: { answers: readonly (SignalResponse | undefined)[]; height: number }) {
  const missing = answers.flatMap((answer) => answer?.missing ?? [])[0];
  return (
    <div style={{ minHeight: height }}>
      {missing ? (
        <Notice state="unknown" title="Not collected" why={missing.why} fix={missing.fix} />
      ) : (
        <Notice
          state="unknown"
          title="No samples in this range"
          why="The signal is known here, but the shown time has none."
          fix="Widen the range (z), or look at Telemetry for gaps."
        />
      )}
    </div>
  );
}

function QueryButton({ queries }: { queries: SignalResponse['sources'] }) {
  return (
    <Popover position="bottom-end" width={480} trapFocus>
      <Popover.Target>
        <Tooltip label="The query" openDelay={300}>
          <ActionIcon variant="subtle" size={24} aria-label="Show the query">
            <IconCode size={14} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown p={12}>
        {queries.map(({ system, language, query }) => (
          <div key={query} className={styles.query}>
            <pre className={styles.text}>{query}</pre>
            <span className={styles.from}>
              {language} to {system}
              <CopyButton text={query} label="Copy the query" />
              {language === 'promql' ? (
                <Link to="/explore/metrics" search={{ q: query }}>
                  Open in Explore
                </Link>
              ) : null}
            </span>
          </div>
        ))}
      </Popover.Dropdown>
    </Popover>
  );
}

function SeriesTable({ series, unit, height }: { series: readonly ChartSeries[]; unit: string; height: number }) {
  return (
    <div className={styles.scroll} style={{ height }}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col">min</th>
            <th scope="col">median</th>
            <th scope="col">max</th>
            <th scope="col">last</th>
          </tr>
        </thead>
        <tbody>
          {series.map((s) => (
            <tr key={`${s.key} ${s.isBefore ?? ''}`}>
              <th scope="row">
                {s.label}
                {s.isBefore ? ' before' : ''}
              </th>
              {[
                extreme(s.points, Math.min),
                medianOf(s.points),
                extreme(s.points, Math.max),
                lastValue(s.points)?.value,
              ].map((value, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: four fixed columns
                <td key={i}>{formatValue(value, unit)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function extreme(points: Points, pick: (a: number, b: number) => number): number | undefined {
  const values = points.map(([, v]) => v).filter((v): v is number => v !== null);
  return values.length === 0 ? undefined : values.reduce((a, b) => pick(a, b));
}

/** True once the panel is in or near view: what nobody sees asks nothing. */
function useSeen(): [boolean, React.RefObject<HTMLDivElement | null>] {
  const element = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver(([entry]) => setSeen(entry?.isIntersecting ?? false), {
      rootMargin: '240px',
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [isSeen, element];
}
