import type { Clock, Logger } from '../base/index.ts';
import {
  type KnownObject,
  type KubernetesWatch,
  type Scraper,
  startKubernetesWatch,
  startScraper,
  type TargetState,
} from '../ingest/index.ts';
import { everything } from '../model/index.ts';
import type { Closers } from './closers.ts';
import type { ClusterConfig, Config } from './config/index.ts';
import type { Parts } from './parts.ts';

/** How the clusters that this server goes to by itself do: Kubernetes watches and scrapes. */
export interface ClusterConnections {
  watches(): readonly KubernetesWatch[];
  targets(): TargetState[];
}

/** Watches and scrapes what the configuration names; `add` connects further clusters while running. */
export function connectClusters(options: {
  config: Config;
  parts: Parts;
  clock: Clock;
  logger: Logger;
  closers: Closers;
}): { add(clusters: readonly ClusterConfig[]): void } {
  const { config, parts, clock, logger, closers } = options;
  const { sink } = parts.ingest;
  const clusters: ClusterConfig[] = [];
  const names = parts.clusterNames;
  const watches: KubernetesWatch[] = [];
  const scraper: Scraper = startScraper({ clusters: [], sink, clock, logger, maxBodyBytes: config.ingest.maxBody });
  closers.add('the scraper', scraper.close);
  closers.add('the Kubernetes watches', () => Promise.all(watches.map((watch) => watch.close())));
  const add = (more: readonly ClusterConfig[]) => {
    clusters.push(...more);
    names.push(...more.map(({ name }) => name));
    scraper.update(clusters.map((cluster) => ({ name: cluster.name, scrapeConfigs: cluster.scrape_configs ?? [] })));
    for (const { name, kubernetes } of more) {
      if (kubernetes) watches.push(watchCluster(name, kubernetes));
    }
  };
  const watchCluster = (cluster: string, connection: NonNullable<ClusterConfig['kubernetes']>) =>
    startKubernetesWatch({
      cluster,
      connection,
      sink,
      clock,
      logger,
      known: (kind) => knownObjects(parts, cluster, kind, clock),
    });
  add(config.clusters);
  parts.connections = { watches: () => watches, targets: scraper.targets };
  return { add };
}

/** What the store holds as living, once everything that earlier processes took in has reached it. */
async function knownObjects(
  parts: Parts,
  cluster: string,
  kind: string,
  clock: Clock,
): Promise<readonly KnownObject[]> {
  await parts.spool.ready;
  return parts.objects.headsAt({ atMs: clock.now(), cluster, kinds: [kind] }, { scope: everything });
}
