import { type AttributeValue, attributeText, type LogRecord } from '../../../model/index.ts';
import { createTurns } from '../../turns.ts';
import { DecodeError, escapeInvalidUtf8, withoutBom } from '../wire/index.ts';
import { jsonRecords, parseRecord } from './json-records.ts';
import { MsgpackReader } from './msgpack.ts';
import { createRecordReader, type UnreadPart } from './record.ts';

export interface DecodedRecords {
  logs: LogRecord[];
  /** A record had no time of its own and got the one of its arrival. */
  arrivalTimed: boolean;
  /** Records that are none, by the first one's sentence. */
  invalid: Counted;
  /** Records that are kept although their time cannot be read. */
  unreadTimes: Counted;
}

interface Counted {
  count: number;
  because: string;
}

interface Context {
  observedNs: bigint;
  /** Fluent Bit's tag of the records, empty when it was not sent. */
  tag: string;
}

/**
 * Decodes the formats `json`, `json_lines` and `json_stream`, which are told apart by their content. A record that is
 * none is refused alone; DecodeError when there is no good one.
 */
export async function decodeJsonRecords(raw: Buffer, context: Context): Promise<DecodedRecords> {
  const body = escapeInvalidUtf8(withoutBom(raw), { inJson: true });
  const reader = createRecordReader(context);
  const logs: LogRecord[] = [];
  const invalid = { count: 0, because: '' };
  const unreadTimes = { count: 0, because: '' };
  const turns = createTurns();
  let number = 0;
  for (const extent of jsonRecords(body)) {
    if (++number % 64 === 0 && turns.over()) await turns.next();
    try {
      const { record, kubernetes } = parseRecord(body, extent);
      const log = reader.read(record, undefined, kubernetes);
      logs.push(log);
      noteTime(unreadTimes, log, `record ${number} at byte ${extent.start}`);
    } catch (error) {
      note(invalid, error, `record ${number} at byte ${extent.start}`);
    }
  }
  return answer({ logs, arrivalTimed: reader.arrivalTimed(), invalid, unreadTimes });
}

/**
 * Decodes Fluent Bit's own chunks: `[time, record]` or `[[time, metadata], record]`, one behind the other. A value
 * that is none is refused alone, of damaged bytes what comes before is kept; DecodeError when there is no good record.
 */
export async function decodeMsgpackRecords(body: Buffer, context: Context): Promise<DecodedRecords> {
  const records = createRecordReader(context);
  const logs: LogRecord[] = [];
  const invalid = { count: 0, because: '' };
  const unreadTimes = { count: 0, because: '' };
  const turns = createTurns();
  const reader = new MsgpackReader(body);
  let lastBytes: Buffer | undefined;
  let kubernetes: UnreadPart | undefined;
  for (let number = 1; reader.more(); number++) {
    if (number % 64 === 0 && turns.over()) await turns.next();
    const at = reader.pos;
    try {
      const { timeNs, record, bytes } = readEvent(reader);
      if (bytes !== lastBytes) kubernetes = bytes && unreadPart(bytes);
      lastBytes = bytes;
      if (timeNs !== undefined && timeNs >= GROUP_MARKS_NS) continue;
      const log = records.read(record, timeNs, kubernetes);
      logs.push(log);
      noteTime(unreadTimes, log, `record ${number} at byte ${at}`);
    } catch (error) {
      note(invalid, error, `record ${number}`);
      if (!canPass(reader, at)) break;
    }
  }
  return answer({ logs, arrivalTimed: records.arrivalTimed(), invalid, unreadTimes });
}

/** Whether the bytes of a value that is no record are whole, so that the next value can be found. */
function canPass(reader: MsgpackReader, start: number): boolean {
  try {
    reader.passFrom(start);
    return true;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return false;
  }
}

/** Fluent Bit 3 brackets groups by events whose seconds are -1 and -2. */
const GROUP_MARKS_NS = 0xffff_fffen * 1_000_000_000n;

function unreadPart(bytes: Buffer): UnreadPart {
  return { bytes: bytes.toString('latin1'), value: () => new MsgpackReader(bytes).value() };
}

function readEvent(reader: MsgpackReader) {
  const at = reader.pos;
  if (reader.arrayLength() !== 2) reader.fail('expected [time, record]', at);
  let metadata = new Map<string, AttributeValue>();
  let time: AttributeValue;
  if (reader.isArray()) {
    if (reader.arrayLength() !== 2) reader.fail('expected [time, metadata]', at);
    time = reader.value();
    metadata = reader.entries('').entries;
  } else time = reader.value();
  const { entries: record, bytes } = reader.entries('kubernetes');
  if (metadata.size > 0 && !record.has('metadata')) record.set('metadata', { kind: 'map', entries: metadata });
  return { timeNs: eventNs(time), record, bytes };
}

/** EventTime comes as nanoseconds already; older senders write seconds. */
function eventNs(time: AttributeValue): bigint | undefined {
  if (typeof time === 'bigint') return time < 100_000_000_000n ? time * 1_000_000_000n : time;
  if (typeof time !== 'number' || !Number.isFinite(time) || Math.abs(time) > 1e11) return undefined;
  return BigInt(Math.round(time * 1e6)) * 1000n;
}

function note(invalid: Counted, error: unknown, place: string): void {
  if (!(error instanceof DecodeError)) throw error;
  if (invalid.count++ === 0) invalid.because = `${place}: ${error.message}`;
}

/** What is left of a `date` in the attributes could not be read as a time. */
function noteTime(unread: Counted, { attributes }: LogRecord, place: string): void {
  const date = attributes.get('date');
  if (date === undefined) return;
  const text = attributeText(date).slice(0, 40);
  if (unread.count++ === 0) unread.because = `${place}: its date ${JSON.stringify(text)} is no time that can be read`;
}

function answer(decoded: DecodedRecords): DecodedRecords {
  const { logs, invalid } = decoded;
  if (logs.length === 0 && invalid.count > 0) throw new DecodeError(invalid.because);
  return decoded;
}
