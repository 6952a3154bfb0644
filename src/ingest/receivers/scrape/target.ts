import type { ScrapeConfig } from './config.ts';

/** One address to scrape, with everything that its configuration says. */
export interface Target {
  cluster: string;
  job: string;
  url: string;
  /** Labels of the target, sorted by name; without the cluster label unless the configuration sets one. */
  labels: ReadonlyMap<string, string>;
  config: ScrapeConfig;
  intervalMs: number;
  timeoutMs: number;
  /** Equal for targets that produce the same series. */
  identity: string;
  /** Equal for targets that are also scraped in the same way. */
  key: string;
}

/** All targets of one cluster's configurations. An address named twice with the same labels is one target. */
export function targetsOf(cluster: string, configs: readonly ScrapeConfig[]): Target[] {
  const byIdentity = new Map<string, Target>();
  for (const config of configs) {
    for (const group of config.static_configs) {
      for (const address of group.targets) {
        const target = targetOf(cluster, config, address, group.labels);
        if (!byIdentity.has(target.identity)) byIdentity.set(target.identity, target);
      }
    }
  }
  return [...byIdentity.values()];
}

function targetOf(
  cluster: string,
  config: ScrapeConfig,
  address: string,
  own: Readonly<Record<string, string>>,
): Target {
  const labels = new Map<string, string>();
  for (const [name, value] of Object.entries(own)) if (!name.startsWith('__') && value !== '') labels.set(name, value);
  if (!labels.has('job')) labels.set('job', config.job_name);
  if (!labels.has('instance')) labels.set('instance', address);
  const url = urlOf(config, address, own);
  const sorted = new Map([...labels].sort(([a], [b]) => (a < b ? -1 : 1)));
  const intervalMs = config.scrape_interval;
  const timeoutMs = config.scrape_timeout ?? Math.min(10_000, intervalMs);
  const identity = JSON.stringify([cluster, url, [...sorted]]);
  const key = JSON.stringify([
    identity,
    intervalMs,
    timeoutMs,
    config.honor_labels,
    config.honor_timestamps,
    config.sample_limit,
    config.body_size_limit,
  ]);
  return { cluster, job: config.job_name, url, labels: sorted, config, intervalMs, timeoutMs, identity, key };
}

function urlOf(config: ScrapeConfig, address: string, own: Readonly<Record<string, string>>): string {
  const scheme = own.__scheme__ || config.scheme;
  const path = own.__metrics_path__ || config.metrics_path;
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(config.params)) {
    const first = own[`__param_${name}`];
    (first === undefined ? values : [first, ...values.slice(1)]).forEach((value) => {
      query.append(name, value);
    });
  }
  for (const [name, value] of Object.entries(own)) {
    const parameter = name.startsWith('__param_') ? name.slice('__param_'.length) : '';
    if (parameter !== '' && !Object.hasOwn(config.params, parameter)) query.append(parameter, value);
  }
  const text = query.toString();
  return `${scheme}://${address}${path.startsWith('/') ? path : `/${path}`}${text === '' ? '' : `?${text}`}`;
}

/** Where in its interval a target is scraped: spread over the interval, and the same after a restart. */
export function offsetOf(target: Target): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < target.identity.length; i++) hash = Math.imul(hash ^ target.identity.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % target.intervalMs;
}

/** The first time of the grid `offset + n * interval` that is not before `ms`. */
export function gridTime(ms: number, intervalMs: number, offsetMs: number): number {
  return Math.ceil((ms - offsetMs) / intervalMs) * intervalMs + offsetMs;
}

/** The time to write: the grid's when the scrape began within tolerance of it (a hundredth of the interval, at most 20 ms), so that equal intervals compress to nothing. */
export function alignedTime(actualMs: number, scheduledMs: number, intervalMs: number): number {
  const tolerance = Math.min(20, intervalMs / 100);
  return Math.abs(actualMs - scheduledMs) <= tolerance ? scheduledMs : Math.round(actualMs);
}
