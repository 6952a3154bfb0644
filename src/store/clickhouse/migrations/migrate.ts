import type { Logger } from '../../../base/index.ts';
import { type ClickHousePort, type QueryLimits, StoreError } from '../port.ts';
import { selectRows } from '../rows.ts';
import type { Migration } from './migration.ts';
import { migrations } from './steps.ts';

/** A migration may rewrite everything that is stored. */
const LIMITS: QueryLimits = { seconds: 24 * 3600, memoryBytes: 1024 ** 3 };

/**
 * Brings the database to the newest schema (or, in tests, through the given steps). Throws a StoreError of kind `data` when
 * a newer program has written it already.
 */
export async function migrate(
  port: ClickHousePort,
  logger: Logger,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  const run = (text: string, params = {}) => port.run({ text, params }, { limits: LIMITS });
  await run(`CREATE TABLE IF NOT EXISTS schema_migrations (version UInt32, name String, applied DateTime DEFAULT now())
ENGINE = MergeTree ORDER BY version`);
  const applied = await appliedVersions(port);
  const newest = Math.max(0, ...steps.map((step) => step.version));
  const found = Math.max(0, ...applied);
  if (found > newest) {
    const message = `the stored data has schema ${found}, written by a newer Trifocal; this one knows schemas up to ${newest}`;
    throw new StoreError('data', message);
  }
  for (const step of steps) {
    if (applied.has(step.version)) continue;
    logger.info({ version: step.version, name: step.name }, 'changing the schema');
    for (const statement of step.statements) await run(statement);
    await run('INSERT INTO schema_migrations (version, name) SELECT {version:UInt32}, {name:String}', {
      version: step.version,
      name: step.name,
    });
  }
}

async function appliedVersions(port: ClickHousePort): Promise<Set<number>> {
  const rows = await selectRows(
    port,
    { text: 'SELECT version FROM schema_migrations', params: {} },
    { limits: LIMITS },
  );
  return new Set(rows.map((row) => Number(row.version)));
}
