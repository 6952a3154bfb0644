import type { LogRecord } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { inside, parseJson, textField } from '../wire/index.ts';
import { createInvalid, type DecodedLogs } from './decoded.ts';
import { asAnyValue, attributesField, eachJsonItem, idField, smallField, uint64Field } from './json-common.ts';
import { toLogRecord } from './log-record.ts';

/** Decodes `ExportLogsServiceRequest` in JSON. */
export async function decodeLogsJson(body: Buffer, nowNs: bigint): Promise<DecodedLogs> {
  const logs: LogRecord[] = [];
  const invalid = createInvalid();
  const turns = createTurns();
  await eachJsonItem(
    parseJson(body),
    { resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords' },
    invalid,
    (value, resource, scope) => {
      const raw = {
        timeNs: uint64Field(value, 'timeUnixNano'),
        observedNs: uint64Field(value, 'observedTimeUnixNano'),
        severity: smallField(value, 'severityNumber'),
        severityText: textField(value, 'severityText'),
        body: inside('body', () => asAnyValue(value.body ?? null)),
        attributes: new Map(attributesField(value, 'attributes')),
        eventName: textField(value, 'eventName'),
        traceId: idField(value, 'traceId'),
        spanId: idField(value, 'spanId'),
        flags: smallField(value, 'flags'),
      };
      logs.push(toLogRecord(raw, resource, scope, nowNs));
    },
    () => (turns.over() ? turns.next() : undefined),
  );
  return { logs, invalid };
}
