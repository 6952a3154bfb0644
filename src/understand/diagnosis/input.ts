import type { Change, EstateSnapshot, InvestigationRequest, Scope } from '../../model/index.ts';
import type { EvidenceSource } from './evidence.ts';

export interface InvestigateInput {
  id: string;
  request: InvestigationRequest;
  scope: Scope;
  /** As of the end of the window. */
  estate: EstateSnapshot;
  /** Of the whole estate, from at least an hour before the window to its end. */
  changes: readonly Change[];
  evidence: EvidenceSource;
  /** Milliseconds since the epoch. */
  now: number;
}
