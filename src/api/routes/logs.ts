import type { FastifyPluginAsync } from 'fastify';
import type { Clock } from '../../base/index.ts';
import {
  type Attributes,
  attributeText,
  formatTime,
  type InstrumentationScope,
  type LogRecord,
  noAttributes,
} from '../../model/index.ts';
import type { LogReader } from '../../query/index.ts';
import type { EstateReader } from '../../understand/estate/index.ts';
import { type LogsResponse, logsQuery } from '../contract/index.ts';
import { ApiError } from '../errors.ts';
import { signalOf } from './client-signal.ts';
import { entityOfPlace, placesFor } from './places.ts';
import { readRange } from './request-time.ts';

export interface LogRoutesOptions {
  logs: LogReader;
  estate: EstateReader;
  clock: Clock;
}

/** OTLP severity numbers at which each level begins. */
const LEVELS = { debug: 5, info: 9, warn: 13, error: 17 };

/** `/api/logs`: lines of an entity, newest first. */
export function logRoutes({ logs, estate, clock }: LogRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.get('/api/logs', async (request, reply): Promise<LogsResponse> => {
      const signal = signalOf(reply);
      const query = logsQuery.parse(request.query);
      const range = readRange(query, clock.now());
      const { entity, cluster, q, severity, traceId } = query;
      if (traceId !== undefined && !/^[0-9a-f]{32}$/i.test(traceId)) {
        throw new ApiError('bad_request', 'traceId: not 32 hexadecimal digits', { path: 'traceId' });
      }
      const places = await placesFor({ entity, cluster, range }, estate, { scope: request.scope, signal });
      const found = await logs.search(
        {
          range,
          limit: query.limit,
          ...(places ? { places } : {}),
          ...(q ? { text: q } : {}),
          ...(severity ? { minSeverity: LEVELS[severity] } : {}),
          ...(traceId ? { traceId } : {}),
        },
        { scope: request.scope, signal },
      );
      return { items: found.lines.map(toLine), scannedRows: found.scannedRows, truncated: found.truncated };
    });
  };
}

function toLine(record: LogRecord): LogsResponse['items'][number] {
  return {
    at: formatTime(Number(record.timeNs / 1_000_000n)),
    timeNs: String(record.timeNs),
    severity: severityWord(record),
    body: record.body,
    entity: entityOfPlace(record.place),
    container: record.place.container,
    traceId: record.traceId,
    spanId: record.spanId,
    scope: scopeOf(record.scope),
    attributes: texts(record.attributes),
  };
}

function severityWord({ severity, severityText }: LogRecord): string {
  if (severity === 0) return severityText.toLowerCase();
  if (severity >= 21) return 'fatal';
  if (severity < LEVELS.debug) return 'trace';
  const [word = 'info'] = Object.entries(LEVELS).findLast(([, begin]) => severity >= begin) ?? [];
  return word;
}

export function scopeOf({ name, version, attributes = noAttributes }: InstrumentationScope) {
  return { name, version, attributes: texts(attributes) };
}

export function texts(attributes: Attributes): Record<string, string> {
  return Object.fromEntries([...attributes].map(([name, value]) => [name, attributeText(value)]));
}
