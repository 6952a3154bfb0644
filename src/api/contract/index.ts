/**
 * The shapes of requests and responses of Trifocal's own API, as zod schemas; the only server code that web and CLI import.
 * Times go out as RFC 3339 in UTC with milliseconds; points of series are `[epoch seconds, value or null]`.
 */
export * from './backups.ts';
export * from './cardinality.ts';
export * from './changes.ts';
export * from './endpoints.ts';
export * from './entities.ts';
export * from './error.ts';
export * from './investigations.ts';
export * from './logs.ts';
export * from './page.ts';
export * from './redaction.ts';
export * from './signals.ts';
export * from './telemetry.ts';
export * from './traces.ts';
