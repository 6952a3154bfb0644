import type { Migration } from './migration.ts';

const MAP = 'Map(LowCardinality(String), String)';
const TYPES = 'Map(LowCardinality(String), LowCardinality(String))';
const scope = `ADD COLUMN IF NOT EXISTS scope_attributes ${MAP} CODEC(ZSTD(1)) AFTER scope_version,
  ADD COLUMN IF NOT EXISTS schema_url LowCardinality(String) AFTER scope_attributes`;

/** All of OTLP's scopes, events and links. Rows from before have these columns empty, arrays shorter than their neighbours. */
export const scopesAndLinks: Migration = {
  version: 4,
  name: 'scopes and links',
  statements: [
    `ALTER TABLE logs ${scope}`,
    `ALTER TABLE spans ${scope},
  ADD COLUMN IF NOT EXISTS event_attribute_types Array(${TYPES}) CODEC(ZSTD(1)) AFTER event_attributes,
  ADD COLUMN IF NOT EXISTS link_attribute_types Array(${TYPES}) CODEC(ZSTD(1)) AFTER link_attributes,
  ADD COLUMN IF NOT EXISTS link_trace_states Array(String) CODEC(ZSTD(1)) AFTER link_attribute_types,
  ADD COLUMN IF NOT EXISTS link_flags Array(UInt32) CODEC(ZSTD(1)) AFTER link_trace_states`,
  ],
};
