import type { RedactionTestResponse } from '../../../api/contract/index.ts';

/** A stretch of a masked text: as it was, or the mark of a rule in place of what it hid. */
export interface Stretch {
  text: string;
  rule?: string;
  /** What stood there. */
  hidden?: string;
}

/** The masked text in stretches. Marks are found in the order of the matches, so a mark that was sent as text stays text. */
export function highlightMarks(sent: string, { text, matches }: RedactionTestResponse): Stretch[] {
  const stretches: Stretch[] = [];
  let at = 0;
  let kept = 0;
  for (const { rule, start, end } of matches) {
    const mark = `[redacted:${rule}]`;
    const before = sent.slice(kept, start);
    const found = text.startsWith(before, at) ? text.indexOf(mark, at + before.length) : text.indexOf(mark, at);
    if (found < 0) continue;
    if (found > at) stretches.push({ text: text.slice(at, found) });
    stretches.push({ text: mark, rule, hidden: sent.slice(start, end) });
    at = found + mark.length;
    kept = end;
  }
  if (at < text.length) stretches.push({ text: text.slice(at) });
  return stretches;
}
