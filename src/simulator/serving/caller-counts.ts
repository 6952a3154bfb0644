import type { UserRequest } from './traffic.ts';

export interface CallerCount {
  labels: Readonly<Record<string, string>>;
  requests: number;
}

/** How many requests the gateway answered, by who asked for which model and how it ended. */
export interface CallerCounts {
  add(request: UserRequest, status: number): void;
  /** In order of first use. */
  readonly all: readonly CallerCount[];
}

export function createCallerCounts(): CallerCounts {
  const byKey = new Map<string, CallerCount>();
  const all: CallerCount[] = [];
  return {
    all,
    add(request, status) {
      const { tenant, client, model } = request;
      const key = `${tenant} ${client.name} ${client.version} ${model} ${status}`;
      let count = byKey.get(key);
      if (!count) {
        const labels = { tenant, client: client.name, client_version: client.version, model, status: String(status) };
        count = { labels, requests: 0 };
        byKey.set(key, count);
        all.push(count);
      }
      count.requests++;
    },
  };
}
