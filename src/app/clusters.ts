import type { Clock, Logger } from '../base/index.ts';
import {
  type KubernetesConnection,
  type KubernetesWatch,
  type SignalSink,
  startKubernetesWatch,
  startScraper,
  type TargetState,
} from '../ingest/index.ts';
import { everything } from '../model/index.ts';
import type { ObjectReader } from '../query/index.ts';
import type { Closers } from './closers.ts';
import type { ClusterConfig } from './config/index.ts';

/** The clusters that this server goes to by itself: Kubernetes watches and scrapes. */
export interface ClusterConnections {
  watches(): readonly KubernetesWatch[];
  targets(): TargetState[];
  /** Connects further clusters while running. */
  add(clusters: readonly ClusterConfig[]): void;
}

export interface ClusterOptions {
  clusters: readonly ClusterConfig[];
  /** Gets the name of each cluster that is connected. */
  names: string[];
  sink: SignalSink;
  objects: ObjectReader;
  /** Resolves when all that earlier processes took in is in the store. */
  replayed: Promise<void>;
  maxBodyBytes: number;
  clock: Clock;
  logger: Logger;
  closers: Closers;
}

/** Watches and scrapes what the configuration names. */
export function connectClusters(options: ClusterOptions): ClusterConnections {
  const { names, sink, maxBodyBytes, clock, logger, closers } = options;
  const clusters: ClusterConfig[] = [];
  const watches: KubernetesWatch[] = [];
  const scraper = startScraper({ clusters: [], sink, clock, logger, maxBodyBytes });
  closers.add('the scraper', scraper.close);
  closers.add('the Kubernetes watches', () => Promise.all(watches.map((watch) => watch.close())));
  const add = (more: readonly ClusterConfig[]) => {
    clusters.push(...more);
    names.push(...more.map(({ name }) => name));
    scraper.update(clusters.map((cluster) => ({ name: cluster.name, scrapeConfigs: cluster.scrape_configs ?? [] })));
    for (const { name, kubernetes } of more) {
      if (kubernetes) watches.push(watchCluster(name, kubernetes, options));
    }
  };
  add(options.clusters);
  return { watches: () => watches, targets: scraper.targets, add };
}

function watchCluster(
  cluster: string,
  connection: KubernetesConnection,
  { sink, objects, replayed, clock, logger }: ClusterOptions,
): KubernetesWatch {
  // What the store holds as living, once everything that earlier processes took in has reached it.
  const known = async (kind: string) => {
    await replayed;
    return objects.headsAt({ atMs: clock.now(), cluster, kinds: [kind] }, { scope: everything });
  };
  return startKubernetesWatch({ cluster, connection, sink, clock, logger, known });
}
