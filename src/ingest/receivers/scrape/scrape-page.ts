import {
  type LabelSet,
  labelKey,
  labelSet,
  type MetricMetadata,
  type SampleBatch,
  type Series,
} from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { SampleBuilder } from '../wire/index.ts';
import { PageError, PageReader } from './exposition.ts';
import type { Page } from './fetch-page.ts';
import { noteMetadata } from './page-metadata.ts';
import type { Target } from './target.ts';

/** A series of the target that was seen before. */
interface Known {
  /** Its labels as one text, without the cluster's. */
  identity: string;
  series: Series;
  /** The scrape that last held it. */
  seenIn: number;
  /** The scrape that last stored it with the scrape's own time, so that its end has to be marked. */
  trackedIn: number;
  /** `trackedIn` before the page that is being read, in case it is refused. */
  trackedBefore: number;
  /** The page's texts for it: usually one. */
  keys: string[];
}

export interface ScrapeOutcome {
  samples: SampleBatch;
  metadata: MetricMetadata[];
  up: boolean;
  /** Samples on the page. */
  scraped: number;
  duplicates: { count: number; example: string };
  error: string;
}

/** The memory of one target between scrapes: its series by their text, and which have to be marked stale when they vanish. */
export interface TargetPages {
  /**
   * Turns a page (or the failure to get one) into samples at `timeMs`: the page's, stale markers for series that
   * vanished, and Prometheus' report about the scrape. A page with a mistake counts as none at all.
   */
  scrape(page: Page | Error, timeMs: number, elapsedMs: () => number): Promise<ScrapeOutcome>;
  /** Stale markers for everything that the last scrape stored, the report included: the target is gone. */
  end(timeMs: number): SampleBatch;
}

const REPORTS = [
  'up', 'scrape_duration_seconds', 'scrape_samples_scraped', 'scrape_samples_post_metric_relabeling', 'scrape_series_added',
] as const; // biome-ignore format: a list to read

export function createTargetPages(target: Target): TargetPages {
  const byKey = new Map<string, Known>();
  const byLabels = new Map<string, Known>();
  const sentMetadata = new Map<string, string>();
  const reports = REPORTS.map((name) => seriesFor(target, labelSet([['__name__', name], ...target.labels])));
  let turn = 0;

  /** Reads the page into `samples`. Throws PageError; `counts` then holds what came before the mistake. */
  const readPage = async (
    page: Page,
    timeMs: number,
    samples: SampleBuilder,
    metadata: Map<string, MetricMetadata>,
    counts: { scraped: number; added: number; duplicates: number; example: string },
    fresh: Known[],
  ) => {
    const reader = new PageReader(page.body, page.format);
    const turns = createTurns();
    const limit = target.config.sample_limit;
    for (let entry = reader.next(); entry !== 'end'; entry = reader.next()) {
      if (entry !== 'series') {
        noteMetadata(metadata, reader, entry);
        continue;
      }
      counts.scraped++;
      if (counts.scraped % 1024 === 0 && turns.over()) await turns.next();
      let known = byKey.get(reader.key);
      if (known === undefined) {
        const labels = mergeLabels(reader.labels(), target);
        const identity = labelKey(labels);
        known = byLabels.get(identity);
        if (known === undefined) {
          known = {
            identity,
            series: seriesFor(target, labels),
            seenIn: -1,
            trackedIn: -1,
            trackedBefore: -1,
            keys: [],
          };
          byLabels.set(identity, known);
          fresh.push(known);
        }
        known.keys.push(reader.key);
        byKey.set(reader.key, known);
      }
      if (limit > 0 && counts.scraped > limit) continue;
      const time = target.config.honor_timestamps ? reader.timeMs : undefined;
      if (known.seenIn === turn && time === undefined) {
        counts.duplicates++;
        counts.example ||= `line for ${reader.key.slice(1, 300)} comes twice`;
        continue;
      }
      if (known.seenIn !== turn) known.trackedBefore = known.trackedIn;
      known.seenIn = turn;
      if (time === undefined) known.trackedIn = turn;
      samples.add(samples.addSeries(known.series), time ?? timeMs, reader.value);
    }
    if (limit > 0 && counts.scraped > limit)
      throw new PageError(`the page has ${counts.scraped} samples, more than sample_limit ${limit}`);
  };

  const markVanished = (samples: SampleBuilder, timeMs: number) => {
    for (const known of byLabels.values()) {
      if (known.trackedIn === turn - 1) samples.addStale(samples.addSeries(known.series), timeMs);
    }
  };

  const forgetUnseen = () => {
    for (const known of byLabels.values()) {
      if (known.seenIn === turn) continue;
      byLabels.delete(known.identity);
      for (const text of known.keys) byKey.delete(text);
    }
    // A page that orders its labels anew every time gives one series many texts.
    for (const known of byLabels.values()) {
      if (known.keys.length <= 8) continue;
      for (const text of known.keys.splice(0, known.keys.length - 8)) byKey.delete(text);
    }
  };

  return {
    async scrape(page, timeMs, elapsedMs) {
      turn++;
      let samples = new SampleBuilder();
      const metadata = new Map<string, MetricMetadata>();
      const counts = { scraped: 0, added: 0, duplicates: 0, example: '' };
      const fresh: Known[] = [];
      let error = page instanceof Error ? page.message : '';
      if (!(page instanceof Error)) {
        try {
          await readPage(page, timeMs, samples, metadata, counts, fresh);
          counts.added = fresh.length;
        } catch (failure) {
          if (!(failure instanceof PageError)) throw failure;
          error = failure.message;
          samples = new SampleBuilder();
          metadata.clear();
          rollBack(fresh, byLabels, byKey);
        }
      }
      const up = error === '';
      if (!up) {
        for (const known of byLabels.values()) if (known.seenIn === turn) known.trackedIn = known.trackedBefore;
      }
      markVanished(samples, timeMs);
      if (up) {
        forgetUnseen();
        for (const family of sentMetadata.keys()) if (!metadata.has(family)) sentMetadata.delete(family);
      }
      const values = [up ? 1 : 0, elapsedMs() / 1000, counts.scraped, counts.scraped, counts.added];
      reports.forEach((series, i) => {
        samples.add(samples.addSeries(series), timeMs, values[i] ?? 0);
      });
      return {
        samples: samples.finish(),
        metadata: changed(metadata, sentMetadata),
        up,
        scraped: counts.scraped,
        duplicates: { count: up ? counts.duplicates : 0, example: counts.example },
        error,
      };
    },
    end(timeMs) {
      const samples = new SampleBuilder();
      turn++;
      markVanished(samples, timeMs);
      for (const series of reports) samples.addStale(samples.addSeries(series), timeMs);
      return samples.finish();
    },
  };
}

function rollBack(fresh: readonly Known[], byLabels: Map<string, Known>, byKey: Map<string, Known>): void {
  for (const known of fresh) {
    byLabels.delete(known.identity);
    for (const text of known.keys) byKey.delete(text);
  }
}

/** The configured cluster is a label of the series unless the page or the configuration has one already. */
function seriesFor(target: Target, labels: LabelSet): Series {
  for (let i = 0; i < labels.length; i += 2) {
    if (labels[i] === 'cluster') return { labels, cluster: labels[i + 1] ?? target.cluster };
  }
  const at = labels.findIndex((text, i) => i % 2 === 0 && text > 'cluster');
  const end = at < 0 ? labels.length : at;
  return {
    labels: [...labels.slice(0, end), 'cluster', target.cluster, ...labels.slice(end)],
    cluster: target.cluster,
  };
}

/**
 * Labels of the page and of the target. Where both have a name, the page's wins with `honor_labels` (an empty one
 * removes the label); without it the page's becomes `exported_<name>`, with more prefixes until it is free.
 */
function mergeLabels(pairs: readonly [string, string][], target: Target): LabelSet {
  const merged = new Map<string, string>(pairs);
  const clashes: [string, string][] = [];
  for (const [name, value] of target.labels) {
    const own = merged.get(name);
    if (own !== undefined && target.config.honor_labels) continue;
    if (own !== undefined && own !== '') clashes.push([name, own]);
    merged.set(name, value);
  }
  for (const [name, value] of clashes.sort(([a], [b]) => a.length - b.length)) {
    let free = `exported_${name}`;
    while (merged.has(free)) free = `exported_${free}`;
    merged.set(free, value);
  }
  return labelSet(merged);
}

/** What is new or different since it was last passed on. */
function changed(metadata: ReadonlyMap<string, MetricMetadata>, sent: Map<string, string>): MetricMetadata[] {
  const news: MetricMetadata[] = [];
  for (const [family, entry] of metadata) {
    const text = JSON.stringify(entry);
    if (sent.get(family) === text) continue;
    sent.set(family, text);
    news.push(entry);
  }
  return news;
}
