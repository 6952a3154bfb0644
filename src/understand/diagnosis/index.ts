/**
 * Answers "why is this slow?": symptom and onset, phases, subsets, a walk over the estate, checks, ranking, words.
 * Pure: evidence comes through an `EvidenceSource`, time and estate are handed in; no I/O, no clock.
 */
export type { EvidenceAnswer, EvidenceRequest, EvidenceSeries, EvidenceSource } from './evidence.ts';
export { investigate, MOST_QUERIES } from './investigate.ts';
