/**
 * Is told where a rule hid something: UTF-16 offsets in the text that it was given, `end` exclusive, in rising order; `quotes`
 * when it wrote that many characters beside its mark.
 */
export type Noted = (start: number, end: number, quotes?: number) => void;

/** Replaces matches by texts that hold one mark, the rest of the match before and after it as it was. */
export function substitute(
  text: string,
  pattern: RegExp,
  replace: (match: string, ...groups: (string | undefined)[]) => string,
  note?: Noted,
): string {
  return text.replace(pattern, (match: string, ...found: (string | number | undefined)[]) => {
    // Behind the groups come the offset and the text; no pattern of ours has named groups.
    const groups = found.slice(0, -2) as (string | undefined)[];
    const offset = Number(found.at(-2));
    const replaced = replace(match, ...groups);
    if (note !== undefined && replaced !== match) {
      const start = replaced.lastIndexOf('[redacted:');
      const after = replaced.length - replaced.indexOf(']', start) - 1;
      note(offset + start, offset + match.length - after);
    }
    return replaced;
  });
}
