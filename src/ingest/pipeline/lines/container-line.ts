import { parseTimeNs } from '../../../model/index.ts';

/** A line of a container's log file as the runtime wrote it around what the program printed. */
export interface ContainerLine {
  timeNs: bigint;
  stream: 'stdout' | 'stderr';
  /** The program's line goes on in the next one of this stream. */
  partial: boolean;
  text: string;
}

/**
 * Unwraps a line that its shipper sent as it stood in the file: CRI (`<time> <stdout|stderr> <P|F> <text>`) or Docker's
 * JSON (`{"log":"…\n","stream":"stdout","time":"…"}`, partial when its text has no line feed). Anything else is undefined,
 * mostly after a look at one character.
 */
export function parseContainerLine(line: string): ContainerLine | undefined {
  const first = line.charCodeAt(0);
  if (first === OPENING_BRACE) return line.startsWith('{"log":"') ? parseDocker(line) : undefined;
  if (first !== DIGIT_1 && first !== DIGIT_2) return undefined;
  if (line.charCodeAt(4) !== DASH || line.charCodeAt(10) !== LETTER_T) return undefined;
  return parseCri(line);
}

const OPENING_BRACE = 0x7b;
const DIGIT_1 = 0x31;
const DIGIT_2 = 0x32;
const DASH = 0x2d;
const LETTER_T = 0x54;

/** Tags after the first are for future use and follow a colon (Kubernetes' CRI logging design). */
const AFTER_TIME = /(stdout|stderr) ([FP])(?::[^ ]{0,64})?(?: |$)/y;

function parseCri(line: string): ContainerLine | undefined {
  const space = line.indexOf(' ', 19);
  if (space < 0 || space > 36) return undefined;
  AFTER_TIME.lastIndex = space + 1;
  const match = AFTER_TIME.exec(line);
  if (match === null) return undefined;
  const timeNs = parseTimeNs(line.slice(0, space));
  if (timeNs === undefined) return undefined;
  const stream = match[1] === 'stdout' ? 'stdout' : 'stderr';
  return { timeNs, stream, partial: match[2] === 'P', text: line.slice(AFTER_TIME.lastIndex) };
}

/** Docker splits at 16 KiB, so a longer line by far is somebody else's JSON. */
const MAX_DOCKER_LINE = 200_000;

function parseDocker(line: string): ContainerLine | undefined {
  if (line.length > MAX_DOCKER_LINE || !line.includes('","stream":"std')) return undefined;
  const value = jsonObject(line);
  if (value === undefined) return undefined;
  const { log, stream, time, attrs: _attrs, ...others } = value;
  if (typeof log !== 'string' || typeof time !== 'string' || Object.keys(others).length > 0) return undefined;
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  const timeNs = parseTimeNs(time);
  if (timeNs === undefined) return undefined;
  const whole = log.endsWith('\n');
  return { timeNs, stream, partial: !whole, text: whole ? log.slice(0, -1) : log };
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // not JSON, so not Docker's
  }
}
