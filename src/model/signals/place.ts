/**
 * Where in the estate a signal comes from, as far as it is known. Filled from labels or resource attributes by
 * `ingest/pipeline/enrich.ts`; unknown parts are empty, an unknown cluster is `unknown`.
 */
export interface Place {
  cluster: string;
  namespace: string;
  workload: string;
  pod: string;
  container: string;
  node: string;
  service: string;
}

export const UNKNOWN_CLUSTER = 'unknown';

export const nowhere: Place = {
  cluster: UNKNOWN_CLUSTER,
  namespace: '',
  workload: '',
  pod: '',
  container: '',
  node: '',
  service: '',
};
