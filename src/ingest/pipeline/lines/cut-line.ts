/**
 * What is redacted of a line that will be cut: more than is kept, so that a secret which the cut would halve is still
 * seen as a whole.
 */
const SLACK = 64 * 1024;

/** Bounds the work on a line before it is redacted. Returns the text to go on with and the bytes that are gone. */
export function shortenBeforeRedaction(text: string, maxBytes: number): { text: string; lost: number } {
  return take(text, maxBytes + SLACK);
}

/** A line of at most `maxBytes` of UTF-8, and if it was longer a mark with the number of bytes that are gone, `lost` before included. */
export function cutLine(text: string, maxBytes: number, lost = 0): string {
  if (lost === 0 && text.length * 3 <= maxBytes) return text;
  const kept = take(text, maxBytes);
  const gone = kept.lost + lost;
  return gone === 0 ? text : `${kept.text}…[cut: ${gone} bytes]`;
}

function take(text: string, maxBytes: number): { text: string; lost: number } {
  // UTF-16 units become at most three bytes each, and never less than one.
  if (text.length * 3 <= maxBytes) return { text, lost: 0 };
  const size = Buffer.byteLength(text);
  if (size <= maxBytes) return { text, lost: 0 };
  const bytes = Buffer.from(text.slice(0, maxBytes));
  let end = Math.min(maxBytes, bytes.length);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--; // not inside a character
  return { text: bytes.toString('utf8', 0, end), lost: size - end };
}
