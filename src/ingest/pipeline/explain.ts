import type { Noted } from './substitute.ts';

/** Where something was hidden, in the text as it was at first: UTF-16 offsets, `end` exclusive. */
export interface RedactionMatch {
  rule: string;
  start: number;
  end: number;
}

/** A part of the text as it is now: what it was in the first text, and how long it is now. */
interface Piece {
  start: number;
  end: number;
  length: number;
  rule?: string;
}

/**
 * Runs the rules one after the other, as redaction does, and says where each hid something in the text that came in. A mark that
 * a later rule hides with its surroundings becomes part of that rule's.
 */
export function explainRules(
  text: string,
  rules: readonly { name: string; apply(text: string, note: Noted): string }[],
): { text: string; matches: RedactionMatch[] } {
  let now = text;
  let pieces: Piece[] = [{ start: 0, end: text.length, length: text.length }];
  for (const { name, apply } of rules) {
    const hidden: [number, number, number][] = [];
    now = apply(now, (start, end, quotes = 0) => hidden.push([start, end, quotes]));
    // From the end, so that the places of those before stay true.
    for (const [start, end, quotes] of hidden.reverse()) pieces = hide(pieces, { start, end, rule: name, quotes });
  }
  const matches = pieces.flatMap(({ rule, start, end }) => (rule === undefined ? [] : [{ rule, start, end }]));
  return { text: now, matches };
}

function hide(
  pieces: readonly Piece[],
  { start, end, rule, quotes }: { start: number; end: number; rule: string; quotes: number },
): Piece[] {
  const before: Piece[] = [];
  const after: Piece[] = [];
  let first: number | undefined;
  let last = 0;
  let at = 0;
  for (const piece of pieces) {
    const from = at;
    const to = at + piece.length;
    at = to;
    if (to <= start) before.push(piece);
    else if (from >= end) after.push(piece);
    else {
      const head = piece.rule === undefined ? Math.max(0, start - from) : 0;
      const tail = piece.rule === undefined ? Math.max(0, to - end) : 0;
      if (head > 0) before.push({ start: piece.start, end: piece.start + head, length: head });
      if (tail > 0) after.push({ start: piece.end - tail, end: piece.end, length: tail });
      first ??= piece.start + head;
      last = piece.end - tail;
    }
  }
  const hidden: Piece = { start: first ?? 0, end: last, length: `[redacted:${rule}]`.length + quotes, rule };
  return [...before, hidden, ...after];
}
