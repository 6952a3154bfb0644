import type { MetricMetadata, MetricType } from '../../../model/index.ts';
import type { ClickHousePort } from '../../../store/index.ts';
import { sql, text } from '../../sql/index.ts';
import type { MetadataRequest, ReadOptions } from '../contract.ts';
import { readBlocks, texts } from './read.ts';

const TYPES: ReadonlySet<string> = new Set<MetricType>([
  'counter',
  'gauge',
  'histogram',
  'summary',
  'info',
  'stateset',
  'unknown',
]);
/** More families than this are cut off when nobody asks for a number. */
const MAX_FAMILIES = 100_000;

/** What senders say about families of metrics. It names no cluster and no namespace, so it is not limited by scope. */
export async function listMetadata(
  port: ClickHousePort,
  request: MetadataRequest,
  read: ReadOptions,
): Promise<MetricMetadata[]> {
  const limit = request.limit !== undefined && request.limit > 0 ? request.limit : MAX_FAMILIES;
  const only = request.family === undefined ? sql`1` : sql`family = ${text(request.family)}`;
  const families = sql`SELECT DISTINCT family FROM metric_metadata WHERE ${only} ORDER BY family LIMIT ${limit}`;
  const query = sql`SELECT DISTINCT family, type, help, unit FROM metric_metadata WHERE family IN (${families}) ORDER BY family, type, help, unit`;
  const found: MetricMetadata[] = [];
  for await (const block of readBlocks(port, query, read, { limit: 'series', count: 10 * MAX_FAMILIES })) {
    const [family, type, help, unit] = ['family', 'type', 'help', 'unit'].map((name) => texts(block, name));
    for (let row = 0; row < block.rows; row++) {
      found.push({
        family: family?.[row] ?? '',
        type: asType(type?.[row] ?? ''),
        help: help?.[row] ?? '',
        unit: unit?.[row] ?? '',
      });
    }
  }
  return found;
}

function asType(text: string): MetricType {
  return TYPES.has(text) ? (text as MetricType) : 'unknown'; // the set has exactly the members of the type
}
