import type { ClickHousePort, QueryLimits } from './port.ts';
import { selectRows } from './rows.ts';

const SETTING = 'min_rows_to_fsync_after_merge = 1';
const LIMITS: QueryLimits = { seconds: 600, memoryBytes: 512 * 1024 ** 2 };

/**
 * Sees to it that what merges write is synced before the parts they merged go. A server keeps those for eight minutes
 * (`old_parts_lifetime`), but the embedded engine removes them within half a minute, which a power failure could outrun.
 * Holds for every table, those of older schemas included.
 */
export async function syncMerges(port: ClickHousePort): Promise<void> {
  const text = `SELECT name FROM system.tables
WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND position(engine_full, {setting:String}) = 0 ORDER BY name`;
  const tables = await selectRows(port, { text, params: { setting: SETTING } }, { limits: LIMITS });
  for (const { name } of tables) {
    await port.run({ text: `ALTER TABLE ${name} MODIFY SETTING ${SETTING}`, params: {} }, { limits: LIMITS });
  }
}
