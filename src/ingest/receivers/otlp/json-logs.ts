import type { LogRecord } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { inside, textField } from '../wire/index.ts';
import { createInvalid, type DecodedLogs } from './decoded.ts';
import { asAnyValue, attributesField, eachJsonItem, idField, smallField, uint64Field } from './json-common.ts';
import { isWithoutTime, toLogRecord } from './log-record.ts';

/** Decodes `ExportLogsServiceRequest` in JSON. */
export async function decodeLogsJson(body: Buffer, nowNs: bigint): Promise<DecodedLogs> {
  const logs: LogRecord[] = [];
  const invalid = createInvalid();
  let arrivalTimed = false;
  await eachJsonItem(
    body,
    { resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords' },
    invalid,
    (value, resource, scope) => {
      const raw = {
        timeNs: uint64Field(value, 'timeUnixNano'),
        observedNs: uint64Field(value, 'observedTimeUnixNano'),
        severity: smallField(value, 'severityNumber'),
        severityText: textField(value, 'severityText'),
        body: value.body === undefined ? '' : inside('body', () => asAnyValue(value.body ?? null)),
        attributes: new Map(attributesField(value, 'attributes')),
        dropped: 0, // among the attributes already
        eventName: textField(value, 'eventName'),
        traceId: idField(value, 'traceId'),
        spanId: idField(value, 'spanId'),
        flags: smallField(value, 'flags'),
      };
      if (isWithoutTime(raw)) arrivalTimed = true;
      logs.push(toLogRecord(raw, resource, scope, nowNs));
      return undefined;
    },
    createTurns(),
  );
  return { logs, arrivalTimed, invalid };
}
