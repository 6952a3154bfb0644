const NEWLINE = 10;

/** One line is in memory at a time; a longer one is no line of any format here. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** A run of whole lines, and which line of the file its first is, counted from 1. */
export interface Lines {
  bytes: Buffer;
  firstLine: number;
}

/** Cuts content into runs of whole lines of about `size` bytes. The same content gives the same runs. Throws for a line without end. */
export async function* runsOfLines(pieces: AsyncIterable<Buffer>, size: number): AsyncGenerator<Lines> {
  let held: Buffer[] = [];
  let length = 0;
  let line = 1;
  for await (const piece of pieces) {
    held.push(piece);
    length += piece.length;
    if (length < size) continue;
    let bytes = Buffer.concat(held);
    // At the first end of a line after `size`, wherever pieces happen to end.
    for (let cut = bytes.indexOf(NEWLINE, size - 1) + 1; cut > 0; cut = bytes.indexOf(NEWLINE, size - 1) + 1) {
      const run = bytes.subarray(0, cut);
      yield { bytes: run, firstLine: line };
      line += countLines(run);
      bytes = bytes.subarray(cut);
      if (bytes.length < size) break;
    }
    if (bytes.length > LONGEST_LINE) throw new Error(`line ${line} is longer than ${LONGEST_LINE} bytes`);
    held = [bytes];
    length = bytes.length;
  }
  if (length > 0) yield { bytes: Buffer.concat(held), firstLine: line };
}

export function* eachLine({ bytes, firstLine }: Lines): Generator<{ text: Buffer; line: number }> {
  let line = firstLine;
  for (let at = 0; at < bytes.length; line++) {
    const end = bytes.indexOf(NEWLINE, at);
    const until = end === -1 ? bytes.length : end;
    yield { text: bytes.subarray(at, until), line };
    at = until + 1;
  }
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
