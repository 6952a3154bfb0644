import { type LabelSet, labelSet, METRIC_NAME, setStaleAt } from '../../model/index.ts';
import type { PageLayout } from '../pages/page.ts';
import type { ScrapeTarget } from '../pages/targets.ts';
import { encodeLabels, type SampleRun } from './remote-write.ts';

interface Column extends SampleRun {
  /** Whether the series was there at the last scrape. */
  present: boolean;
}

/**
 * Scrapes one target in simulated time, as a Prometheus agent would: the page's samples with the target's labels, `up`
 * and the other series about the scrape itself, and a stale marker where a series ended.
 */
export interface ScrapeRecorder {
  /** The next time on the target's own grid at or after `ms`. */
  nextScrape(ms: number): number;
  scrape(atMs: number): void;
  /** The target is gone: stale markers for everything it had, the report included. */
  end(atMs: number): void;
  /** Everything since the last call; the runs may be overwritten by the next scrape. */
  take(): SampleRun[];
}

/** `capacity` is the most scrapes between two calls of `take`. */
export function createScrapeRecorder(target: ScrapeTarget, capacity: number): ScrapeRecorder {
  const columns = new Map<string, Column>();
  const own = { ...target.labels, job: target.job, cluster: target.cluster };
  const offset = gridOffset(`${target.cluster} ${target.path}`, target.intervalMs);
  let layout: PageLayout | undefined;
  let current: { column: Column; read: () => number }[] = [];

  const columnOf = (key: string, labels: () => LabelSet): Column => {
    let column = columns.get(key);
    if (!column) {
      column = {
        labels: encodeLabels(labels()),
        shard: columns.size,
        times: new Float64Array(capacity),
        values: new Float64Array(capacity),
        length: 0,
        present: false,
      };
      columns.set(key, column);
    }
    return column;
  };
  const about = (name: string) => columnOf(name, () => labelSet(Object.entries({ ...own, [METRIC_NAME]: name })));
  const reports = {
    up: about('up'),
    duration: about('scrape_duration_seconds'),
    scraped: about('scrape_samples_scraped'),
    kept: about('scrape_samples_post_metric_relabeling'),
    added: about('scrape_series_added'),
  };

  const layOut = (next: PageLayout, atMs: number) => {
    const before = new Set(current.map(({ column }) => column));
    current = next.families.flatMap((family) =>
      family.series.map((series) => {
        const labels = () => labelSet([...Object.entries(own), ...series.labels, [METRIC_NAME, series.name]]);
        return { column: columnOf(series.text, labels), read: series.read };
      }),
    );
    layout = next;
    for (const { column } of current) before.delete(column);
    for (const column of before) end(column, atMs);
  };

  return {
    nextScrape: (ms) => Math.ceil((ms - offset) / target.intervalMs) * target.intervalMs + offset,
    scrape(atMs) {
      const now = target.page.layout();
      if (now !== layout) layOut(now, atMs);
      let scraped = 0;
      let added = 0;
      for (const { column, read } of current) {
        const value = read();
        if (Number.isNaN(value)) {
          end(column, atMs);
          continue;
        }
        if (!column.present) added++;
        column.present = true;
        append(column, atMs, value);
        scraped++;
      }
      append(reports.up, atMs, 1);
      append(reports.duration, atMs, 0.004 + scraped * 9e-6);
      append(reports.scraped, atMs, scraped);
      append(reports.kept, atMs, scraped);
      append(reports.added, atMs, added);
      for (const report of Object.values(reports)) report.present = true;
    },
    end(atMs) {
      for (const column of columns.values()) end(column, atMs);
    },
    take() {
      const runs: SampleRun[] = [];
      for (const column of columns.values()) {
        if (column.length === 0) continue;
        runs.push({ ...column });
        column.length = 0;
      }
      return runs;
    },
  };
}

function append(column: Column, atMs: number, value: number): void {
  column.times[column.length] = atMs;
  column.values[column.length] = value;
  column.length++;
}

function end(column: Column, atMs: number): void {
  if (!column.present) return;
  column.present = false;
  column.times[column.length] = atMs;
  setStaleAt(column.values, column.length);
  column.length++;
}

/** Scrapes are spread over the interval by who the target is, as Prometheus does. */
function gridOffset(identity: string, intervalMs: number): number {
  let hash = 0;
  for (let i = 0; i < identity.length; i++) hash = (Math.imul(hash, 31) + identity.charCodeAt(i)) >>> 0;
  return hash % intervalMs;
}
