/** One step from a schema to the next. Never changed once released: databases exist that ran it. */
export interface Migration {
  version: number;
  name: string;
  statements: readonly string[];
}

/** For every table: an insert repeated with the same token within the last thousand is recognised and adds nothing. */
export const tableSettings =
  'SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000, index_granularity = 8192';
