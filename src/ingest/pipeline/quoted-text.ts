/** Where a quoted text stands: UTF-16 offsets of what is between its quotes, and of what comes after them. */
export interface QuotedText {
  start: number;
  end: number;
  after: number;
}

/**
 * The text whose opening quote stands at `at`, perhaps behind the backslashes of an outer text. With n of those, n + 1
 * of them are one backslash of this text, so its closing quote has n, or n more than an even number of such. A quote with
 * fewer is one of the outer text, which was cut off inside of this one. A text without an end reaches to the end of the line.
 */
export function readQuoted(line: string, at: number): QuotedText | undefined {
  let open = at;
  while (line[open] === '\\') open++;
  const depth = open - at;
  const quote = line[open];
  if (quote !== '"' && quote !== "'") return undefined;
  const start = open + 1;
  for (let end = line.indexOf(quote, start); end >= 0; end = line.indexOf(quote, end + 1)) {
    const slashes = slashesBefore(line, end, start);
    if (slashes < depth) return { start, end: end - slashes, after: end - slashes };
    if (slashes % (depth + 1) !== depth || Math.floor(slashes / (depth + 1)) % 2 === 1) continue;
    return { start, end: end - depth, after: end + 1 };
  }
  return { start, end: line.length, after: line.length };
}

/** How many backslashes stand before the place, not looking back beyond `from`. */
export function slashesBefore(line: string, at: number, from: number): number {
  let slashes = 0;
  while (at - slashes > from && line[at - slashes - 1] === '\\') slashes++;
  return slashes;
}
