import { describeSources, type TroubleFacts } from '../api/index.ts';
import type { Clock } from '../base/index.ts';
import type { Parts } from './parts.ts';

/** What the banner of every page is made of, gathered from the parts that know it. */
export interface TroubleSource {
  facts(): Promise<TroubleFacts>;
  /** Since when the store is as it is, up or down. */
  storeSinceMs(): number;
}

export function createTroubleSource(parts: Parts, clock: Clock): TroubleSource {
  let storeSinceMs = clock.now();
  parts.store.onStateChange(() => {
    storeSinceMs = clock.now();
  });
  return {
    storeSinceMs: () => storeSinceMs,
    async facts() {
      const watches = () => parts.connections?.watches() ?? [];
      const targets = () => parts.connections?.targets() ?? [];
      // While the ingest thread is started again nobody can say how the senders are; the next answer can.
      const counted = await parts.ingest.telemetry().catch(() => undefined);
      return {
        store: { up: parts.store.isUp(), sinceMs: storeSinceMs },
        spool: parts.spool.stats(),
        ingestUp: counted !== undefined,
        sources: describeSources(counted?.sources ?? [], { watches, targets }, clock.now()),
        dropped: counted?.dropped ?? [],
        nowMs: clock.now(),
      };
    },
  };
}
