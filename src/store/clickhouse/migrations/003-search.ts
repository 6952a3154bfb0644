import type { Migration } from './migration.ts';

const items = (source: string) => `arrayMap((k, v) -> concat(k, '=', v), mapKeys(${source}), mapValues(${source}))`;

/** Indexes for words of log lines and for `key=value` items; existing rows get them too. */
export const search: Migration = {
  version: 3,
  name: 'text indexes',
  statements: [
    ...['logs', 'spans'].flatMap((table) => [
      `ALTER TABLE ${table}
  ADD COLUMN IF NOT EXISTS resource_items Array(String) ALIAS ${items('resource')},
  ADD COLUMN IF NOT EXISTS attribute_items Array(String) ALIAS ${items('attributes')}`,
      `ALTER TABLE ${table}
  ADD INDEX IF NOT EXISTS resource_items_index resource_items TYPE text(tokenizer = 'array'),
  ADD INDEX IF NOT EXISTS attribute_items_index attribute_items TYPE text(tokenizer = 'array'),
  ADD INDEX IF NOT EXISTS trace_index trace_id TYPE bloom_filter(0.01)`,
      `ALTER TABLE ${table}
  MATERIALIZE INDEX resource_items_index, MATERIALIZE INDEX attribute_items_index, MATERIALIZE INDEX trace_index
  SETTINGS mutations_sync = 1`,
    ]),
    `ALTER TABLE logs ADD INDEX IF NOT EXISTS words_index body TYPE text(tokenizer = 'splitByNonAlpha', preprocessor = lower(body))`,
    `ALTER TABLE logs MATERIALIZE INDEX words_index SETTINGS mutations_sync = 1`,
    `ALTER TABLE spans ADD INDEX IF NOT EXISTS duration_index duration_ns TYPE minmax`,
    `ALTER TABLE spans MATERIALIZE INDEX duration_index SETTINGS mutations_sync = 1`,
  ],
};
