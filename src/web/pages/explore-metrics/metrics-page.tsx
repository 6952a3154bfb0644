import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { type ChartSeries, TimeChart } from '../../charts/time-chart.tsx';
import { ApiError } from '../../client.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import layout from '../../components/layout.module.css';
import { PageHead, type Sentence } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { Loading, Notice } from '../../components/states/notice.tsx';
import { coarse, counted } from '../../format/index.ts';
import { useNow, usePageSearch, useRange, useSetSearch } from '../../page.ts';
import { promRangeQuery } from '../../queries.ts';
import { Examples } from './examples.tsx';
import styles from './metrics.module.css';
import { commonLabels, guessUnit, newestOf, type PromSeries, seriesName } from './series.ts';
import { SeriesTable } from './series-table.tsx';

/** What do the raw metrics say? */
export function Page() {
  const range = useRange();
  const now = useNow();
  const { q = '' } = usePageSearch();
  const setSearch = useSetSearch();
  const answer = useQuery({ ...promRangeQuery(q, range), enabled: q !== '' });
  const result = answer.data?.data.result;
  const series = useMemo(() => (result ?? []).map(toSeries), [result]);
  const shared = useMemo(() => commonLabels(series), [series]);
  const chart = useMemo(
    () => series.map((s): ChartSeries => ({ key: s.key, label: seriesName(s.labels, shared), points: s.points })),
    [series, shared],
  );
  const newest = newestOf(series);
  return (
    <>
      <PageHead
        state={answer.error ? 'warning' : series.length > 0 ? 'ok' : 'idle'}
        answer={answerOf(q, answer.error, result === undefined ? undefined : series.length)}
        more={
          result === undefined || newest === undefined
            ? undefined
            : `Newest sample ${coarse(Math.max(0, now / 1000 - newest))} ago, one point each ${coarse(range.step)}.`
        }
      />
      <div className={layout.stack}>
        <QueryBox
          key={q}
          query={q}
          error={answer.error}
          isRunning={answer.isFetching}
          onRun={(text) => (text === q ? void answer.refetch() : setSearch({ q: text || undefined }))}
        />
        {q === '' ? <Examples onPick={(text) => setSearch({ q: text })} /> : null}
        {q !== '' && answer.isPending && !answer.error ? <Loading height={320} label="Running the query" /> : null}
        {result !== undefined && series.length === 0 && q !== '' ? (
          <Notice
            state="unknown"
            title="No series matched in this range"
            why="The query is fine, but nothing of it was collected in the shown time."
            fix="Widen the range with z, or check the label names."
          />
        ) : null}
        {series.length > 0 ? (
          <Panel
            title={q.length > 96 ? `${q.slice(0, 96)} …` : q}
            signal="metrics"
            actions={<CopyButton text={q} label="Copy the query" />}
          >
            <TimeChart label={q} unit={guessUnit(q)} series={chart} range={range} height={300} hasLegend={false} />
            <SeriesTable series={series} shared={shared} unit={guessUnit(q)} />
          </Panel>
        ) : null}
        {[...(answer.data?.warnings ?? []), ...(answer.data?.infos ?? [])].map((text) => (
          <Notice key={text} state="warning" title={text} inline />
        ))}
      </div>
    </>
  );
}

function answerOf(q: string, error: Error | null, count: number | undefined): Sentence {
  if (q === '') return ['Ask any metric in PromQL.'];
  if (error)
    return [
      error instanceof ApiError && error.status >= 400 && error.status < 500
        ? 'The query is not valid.'
        : 'The query could not be answered.',
    ];
  return [
    count === undefined
      ? 'Running the query …'
      : `${counted(count, 'series', 'series')} ${count === 1 ? 'matches' : 'match'}.`,
  ];
}

interface QueryBoxProps {
  query: string;
  error: Error | null;
  isRunning: boolean;
  onRun: (text: string) => void;
}

/** The query, always shown and always editable. Enter runs, Shift-Enter makes a new line. */
function QueryBox({ query, error, isRunning, onRun }: QueryBoxProps) {
  const [text, setText] = useState(query);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (query === '') area.current?.focus();
  }, [query]);
  return (
    <form
      className={styles.box}
      onSubmit={(event) => {
        event.preventDefault();
        onRun(text.trim());
      }}
    >
      <textarea
        ref={area}
        className={styles.text}
        aria-label="PromQL query"
        aria-invalid={error !== null}
        data-filter=""
        spellCheck={false}
        autoComplete="off"
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        placeholder="sum by (pod) (rate(vllm:generation_tokens_total[1m]))"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <div className={styles.foot}>
        <span className={error ? styles.problem : styles.hint}>
          {error ? error.message : 'Enter runs, Shift-Enter makes a new line'}
        </span>
        <Button type="submit" h={28} size="compact-sm" loading={isRunning} loaderProps={{ size: 14 }}>
          Run
        </Button>
      </div>
    </form>
  );
}

function toSeries({ metric, values }: { metric: Record<string, string>; values: [number, string][] }): PromSeries {
  const key = Object.entries(metric)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
  return { key, labels: metric, points: values.map(([t, v]): [number, number] => [t, Number(v)]) };
}
