import type { Change, EntityRef, EstateSnapshot, Scope } from '../../model/index.ts';
import type { EstateEvent } from './event.ts';

/** The door to the estate for everyone who asks about it; `app/estate.ts` puts it together from the sources. */
export interface EstateReader {
  /** The estate as it was at `ms`, as far as the scope may see it. Times after now mean now. */
  at(ms: number, scope: Scope, signal?: AbortSignal): Promise<EstateSnapshot>;
  /** What changed, newest first. `entity` narrows to it, what it contains and what it stands on. */
  changes(query: ChangesQuery, scope: Scope, signal?: AbortSignal): Promise<Change[]>;
  /** Kubernetes events, newest first. */
  events(query: ChangesQuery, scope: Scope, signal?: AbortSignal): Promise<EstateEvent[]>;
}

export interface ChangesQuery {
  from: number;
  to: number;
  entity?: EntityRef;
  cluster?: string;
  limit?: number;
}
