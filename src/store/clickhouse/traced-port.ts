import { type TraceAttributes, type Tracer, traced } from '../../base/index.ts';
import type { ClickHousePort } from './port.ts';

/** The port with a span for each statement: its verb and its cost, never its text or parameters. */
export function tracePort<P extends ClickHousePort>(port: P, tracer: Tracer): P {
  return {
    ...port,
    async *select(statement, options) {
      const span = tracer.begin('store select', about('SELECT'));
      let rows = 0;
      let failure: unknown;
      try {
        for await (const block of port.select(statement, options)) {
          rows += block.rows;
          yield block;
        }
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        span.set({ 'db.response.returned_rows': rows });
        span.end(failure);
      }
    },
    run: (statement, options) =>
      traced(tracer, 'store run', about(/^\s*(\w+)/.exec(statement.text)?.[1]?.toUpperCase() ?? ''), () =>
        port.run(statement, options),
      ),
    insertSegment: (insert, options) =>
      traced(tracer, 'spool load', { ...about('INSERT'), 'db.collection.name': insert.table }, () =>
        port.insertSegment(insert, options),
      ),
  };
}

function about(operation: string): TraceAttributes {
  return { 'db.system.name': 'clickhouse', 'db.operation.name': operation };
}
