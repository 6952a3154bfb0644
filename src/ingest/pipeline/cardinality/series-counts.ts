import { labelValue, METRIC_NAME, type Series } from '../../../model/index.ts';
import { endGeneration, type MetricEntry, newEntry, noteLabels, noteNewSeries, startSketches } from './metric-entry.ts';

/** How many series are active, by cluster and metric; bounded whatever names come. */
export interface SeriesCounts {
  total(): number;
  /** The metric with the most series. */
  largest(): MetricEntry | undefined;
  /** Where series of this cluster and metric are counted, or would be. Makes nothing. */
  find(cluster: string, metric: string): Place;
  /** Counts a series that is seen for the first time in this generation; `isNew` when it was not in the one before either. */
  add(series: Series, at: { isNew: boolean; nowMs: number }): void;
  nextGeneration(): void;
  clusters(): ClusterCount[];
}

export interface Place {
  /** Under which names: those of the series, or one for all that are beyond the bound. */
  cluster: string;
  metric: string;
  ofCluster: ClusterCount | undefined;
  ofMetric: MetricEntry | undefined;
}

export interface ClusterCount {
  cluster: string;
  active: number;
  current: number;
  metrics: Map<string, MetricEntry>;
  /** The metric with the most series. */
  largest: MetricEntry | undefined;
}

/** A metric with this many series has its label values counted; doubles while more metrics than can be kept have so many. */
const SKETCH_FROM = 16;
const MAX_SKETCHED = 4_000;
/** So many metrics have a count of their own; the rest of a cluster's share one. The same of clusters. */
const MAX_METRICS = 100_000;
const MAX_CLUSTERS = 1_000;
/** A longer name is none that anybody gave a cluster. */
const LONGEST_CLUSTER = 253;
const KEEP_FIRST_LABELS = 20_000;
/** Limits per metric and per cluster do not apply to these, as they are of many. */
export const OTHER_METRICS = '(other metrics)';
export const OTHER_CLUSTERS = '(other clusters)';

export function createSeriesCounts(): SeriesCounts {
  const clusters = new Map<string, ClusterCount>();
  const labelWatch = createLabelWatch();
  let total = 0;
  let metricCount = 0;
  let largest: MetricEntry | undefined;

  const find = (name: string, metricName: string): Place => {
    const hasOwn = clusters.has(name) || (clusters.size < MAX_CLUSTERS && name.length <= LONGEST_CLUSTER);
    const cluster = hasOwn ? name : OTHER_CLUSTERS;
    const ofCluster = clusters.get(cluster);
    const metric = ofCluster?.metrics.has(metricName) || metricCount < MAX_METRICS ? metricName : OTHER_METRICS;
    return { cluster, metric, ofCluster, ofMetric: ofCluster?.metrics.get(metric) };
  };
  const makePlace = (place: Place, nowMs: number): { ofCluster: ClusterCount; ofMetric: MetricEntry } => {
    let { ofCluster, ofMetric } = place;
    if (ofCluster === undefined) {
      ofCluster = { cluster: place.cluster, active: 0, current: 0, metrics: new Map(), largest: undefined };
      clusters.set(place.cluster, ofCluster);
    }
    if (ofMetric === undefined) {
      ofMetric = newEntry(place.cluster, place.metric, nowMs);
      if (metricCount >= KEEP_FIRST_LABELS) ofMetric.first = undefined;
      metricCount++;
      ofCluster.metrics.set(place.metric, ofMetric);
    }
    return { ofCluster, ofMetric };
  };
  const noteLargest = (cluster: ClusterCount, entry: MetricEntry) => {
    if (entry.active > (cluster.largest?.active ?? 0)) cluster.largest = entry;
    if (entry.active > (largest?.active ?? 0)) largest = entry;
  };

  return {
    total: () => total,
    largest: () => largest,
    find,
    add({ cluster, labels }, { isNew, nowMs }) {
      const { ofCluster, ofMetric } = makePlace(find(cluster, labelValue(labels, METRIC_NAME)), nowMs);
      if (isNew) {
        ofMetric.active++;
        ofCluster.active++;
        total++;
        noteLargest(ofCluster, ofMetric);
        noteNewSeries(ofMetric, nowMs);
      }
      ofMetric.current++;
      ofCluster.current++;
      noteLabels(ofMetric, labels);
      labelWatch.look(ofMetric);
    },
    nextGeneration() {
      total = 0;
      largest = undefined;
      for (const [name, cluster] of clusters) {
        cluster.active = cluster.current;
        cluster.current = 0;
        cluster.largest = undefined;
        total += cluster.active;
        for (const [metric, entry] of cluster.metrics) {
          endGeneration(entry);
          noteLargest(cluster, entry);
          if (entry.active > 0) continue;
          cluster.metrics.delete(metric);
          metricCount--;
        }
        if (cluster.metrics.size === 0) clusters.delete(name);
      }
      labelWatch.forgetGone();
    },
    clusters: () => [...clusters.values()],
  };
}

/** Starts sketches of label values for the metrics with the most series, as many as there is room for. */
function createLabelWatch() {
  let sketchFrom = SKETCH_FROM;
  let sketched: MetricEntry[] = [];
  return {
    look(entry: MetricEntry): void {
      if (entry.labels !== undefined || entry.active < sketchFrom) return;
      if (sketched.length >= MAX_SKETCHED) {
        sketchFrom *= 2;
        sketched = sketched.filter((other) => {
          if (other.active >= sketchFrom) return true;
          other.labels = undefined;
          return false;
        });
        if (entry.active < sketchFrom) return;
      }
      startSketches(entry);
      sketched.push(entry);
    },
    forgetGone(): void {
      sketched = sketched.filter(({ active }) => active > 0);
    },
  };
}
