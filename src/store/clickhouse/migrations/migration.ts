/**
 * One step from a schema to the next. Never changed once released: databases exist that ran it. A step that was cut short
 * runs again from its first statement, so every statement may meet its own result.
 */
export interface Migration {
  version: number;
  name: string;
  statements: readonly string[];
}

/**
 * Days expire whole, without rewriting what stays. An insert repeated with the same token within the last thousand is
 * recognised and adds nothing. An insert that returned is on disk, since the spool deletes its segment then; what merges
 * write is synced by `syncMerges`.
 */
export const tableSettings = `SETTINGS ttl_only_drop_parts = 1, materialize_ttl_recalculate_only = 1,
  non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1`;
