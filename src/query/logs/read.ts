import type { LogRecord, Scope } from '../../model/index.ts';
import { type ClickHousePort, type QueryLimits, type Statement, selectRows } from '../../store/index.ts';
import { all, during, placesCondition, scopeCondition } from '../conditions.ts';
import { bind, type Sql, sql, statement, text } from '../sql/index.ts';
import { type Row, readAttributes, readId, readInteger, readPlace, readScope, readText } from '../stored-attributes.ts';
import type { LogReader, LogSearch } from './contract.ts';

/** Of one statement, unless the configuration says otherwise. */
const LIMITS: QueryLimits = { seconds: 20, memoryBytes: 256 * 1024 ** 2 };
/** OTLP severity of what has none. */
const INFO = 9;

export function createLogReader(port: ClickHousePort, limits: QueryLimits = LIMITS): LogReader {
  return {
    async search(query, { scope, signal }) {
      const options = { limits, ...(signal ? { signal } : {}) };
      const [rows, [scanned]] = await Promise.all([
        selectRows(port, searchStatement(query, scope), options),
        selectRows(
          port,
          statement(sql`SELECT count() AS candidates FROM logs WHERE ${candidates(query, scope)}`),
          options,
        ),
      ]);
      return {
        lines: rows.slice(0, query.limit).map(toRecord),
        scannedRows: Number(readInteger(scanned?.candidates)),
        truncated: rows.length > query.limit,
      };
    },
  };
}

const COLUMNS = sql`time, observed, cluster, namespace, workload, pod, container, node, service, severity, severity_text, body,
  trace_id, span_id, flags, resource, resource_types, attributes, attribute_types,
  scope_name, scope_version, scope_attributes, schema_url`;

function searchStatement(query: LogSearch, scope: Scope): Statement {
  const where = [candidates(query, scope)];
  if (query.minSeverity !== undefined) {
    where.push(sql`if(severity = 0, ${INFO}, severity) >= ${bind('UInt8', query.minSeverity)}`);
  }
  if (query.traceId !== undefined) where.push(sql`trace_id = unhex(${text(query.traceId)})`);
  if (query.text !== undefined && query.text !== '') {
    const words = wholeWords(query.text);
    if (words.length > 0) where.push(sql`hasAllTokens(body, ${bind('Array(String)', words)})`);
    where.push(sql`positionCaseInsensitiveUTF8(body, ${text(query.text)}) > 0`);
  }
  // A sender's retry may have stored a line twice. One more than asked for tells whether there are more.
  return statement(sql`SELECT ${COLUMNS} FROM logs WHERE ${all(where)}
ORDER BY time DESC LIMIT 1 BY stream_id, time, body LIMIT ${query.limit + 1}`);
}

function candidates(query: LogSearch, scope: Scope): Sql {
  return all([during(sql`time`, query.range), scopeCondition(scope), placesCondition(query.places)]);
}

/**
 * Words that a line with the text in it must hold as whole words, for the index: those inside the text, since its first
 * and last may be parts of longer ones.
 */
export function wholeWords(text: string): string[] {
  const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)];
  return words
    .filter((word) => word.index > 0 && word.index + word[0].length < text.length && /^[A-Za-z0-9]+$/.test(word[0]))
    .map((word) => word[0].toLowerCase());
}

function toRecord(row: Row): LogRecord {
  return {
    timeNs: readInteger(row.time),
    observedNs: readInteger(row.observed),
    severity: Number(readInteger(row.severity)),
    severityText: readText(row.severity_text),
    body: readText(row.body),
    resource: readAttributes(row.resource, row.resource_types),
    attributes: readAttributes(row.attributes, row.attribute_types),
    scope: readScope(row),
    traceId: readId(row.trace_id),
    spanId: readId(row.span_id),
    flags: Number(readInteger(row.flags)),
    place: readPlace(row),
  };
}
