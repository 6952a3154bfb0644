/** A log line as it is read: without what only terminals understand, its cut told apart, folded to one row. */
export interface LogText {
  /** Without escape sequences and without the mark of a cut. */
  text: string;
  /** Bytes that were cut off its end before it was stored. */
  cutBytes?: number;
}

/** Takes the escape sequences of terminals (ECMA-48) out, and ingest's mark `…[cut: N bytes]` off the end. */
export function readLogText(body: string): LogText {
  const plain = body.includes(ESC) || body.includes(CSI) ? body.replace(ESCAPES, '') : body;
  const text = plain.replaceAll('\r\n', '\n');
  const cut = /…\[cut: (\d+) bytes\]$/.exec(text.slice(-40));
  if (cut === null) return { text };
  return { text: text.slice(0, -cut[0].length), cutBytes: Number(cut[1]) };
}

export interface FoldedText {
  head: string;
  /** Lines that are folded away. */
  more: number;
  /** The line that tells most, when the first does not: the exception at the end of a Python traceback. */
  tail?: string;
}

/** One row of a text of many lines; no longer than a screen is wide several times over. */
export function foldText(text: string): FoldedText {
  const lines = text.trimEnd().split('\n');
  const head = lines.find((line) => line.trim() !== '') ?? '';
  const more = lines.length - 1;
  const last = lines.at(-1) ?? '';
  const isWrapper = more > 0 && /^\s*(\([^)]*\)\s*)?Traceback \(most recent call last\):\s*$/.test(head);
  return { head: head.slice(0, WIDEST), more, ...(isWrapper ? { tail: last.trim().slice(0, WIDEST) } : {}) };
}

const WIDEST = 1000;
const ESC = String.fromCharCode(0x1b);
const CSI = String.fromCharCode(0x9b);
const BEL = String.fromCharCode(0x07);
const ESCAPES = new RegExp(
  [
    `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`, // control sequences: colours, moves
    `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`, // operating system commands: titles, links
    `${ESC}[ -/]+[0-~]`, // character sets
    `${ESC}[0-Z\\\\^_a-z]`, // single ones
  ].join('|'),
  'g',
);
