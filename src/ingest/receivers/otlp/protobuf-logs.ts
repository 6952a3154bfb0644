import type { LogRecord } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { ProtoReader } from '../wire/index.ts';
import { createInvalid, type DecodedLogs } from './decoded.ts';
import { emptyRawLog, isWithoutTime, type RawLogRecord, toLogRecord } from './log-record.ts';
import {
  bytesField,
  eachItem,
  fixed32Field,
  fixed64Field,
  readAnyValue,
  readKeyValue,
  varintField,
} from './protobuf-common.ts';

/** Decodes `ExportLogsServiceRequest`. Damaged records are left out; bytes that are no request throw DecodeError. */
export async function decodeLogsProtobuf(body: Buffer, nowNs: bigint): Promise<DecodedLogs> {
  const reader = new ProtoReader(body);
  const logs: LogRecord[] = [];
  const invalid = createInvalid();
  let arrivalTimed = false;
  await eachItem(
    reader,
    invalid,
    (resource, scope) => {
      const raw = readLog(reader);
      if (isWithoutTime(raw)) arrivalTimed = true;
      logs.push(toLogRecord(raw, resource, scope, nowNs));
      return undefined;
    },
    createTurns(),
  );
  return { logs, arrivalTimed, invalid };
}

function readLog(reader: ProtoReader): RawLogRecord {
  const raw = emptyRawLog();
  for (const end = reader.length(); reader.more(end); ) {
    const tag = reader.tag();
    switch (tag) {
      case fixed64Field(1):
        raw.timeNs = reader.fixed64();
        break;
      case varintField(2):
        raw.severity = reader.uint32();
        break;
      case bytesField(3):
        raw.severityText = reader.string();
        break;
      case bytesField(5):
        raw.body = readAnyValue(reader);
        break;
      case bytesField(6):
        raw.attributes ??= new Map();
        raw.dropped += readKeyValue(reader, raw.attributes);
        break;
      case varintField(7):
        raw.dropped += reader.uint32();
        break;
      case fixed32Field(8):
        raw.flags = reader.fixed32();
        break;
      case bytesField(9):
        raw.traceId = reader.hex();
        break;
      case bytesField(10):
        raw.spanId = reader.hex();
        break;
      case fixed64Field(11):
        raw.observedNs = reader.fixed64();
        break;
      case bytesField(12):
        raw.eventName = reader.string();
        break;
      default:
        reader.skip(tag);
    }
  }
  return raw;
}
