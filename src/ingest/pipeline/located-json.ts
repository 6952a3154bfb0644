/** A value of JSON and where it stands in its text: UTF-16 offsets, `end` exclusive. */
export type LocatedJson = { start: number; end: number } & (
  | { kind: 'object'; members: { key: string; value: LocatedJson }[] }
  | { kind: 'array'; items: LocatedJson[] }
  | { kind: 'string'; text: string }
  /** A number as it is written, `true`, `false` or `null`. */
  | { kind: 'scalar' }
  /** An object or array that lies too deep to be looked into. */
  | { kind: 'deep' }
);

const MAX_DEPTH = 64;

/**
 * Reads JSON for whoever wants to change parts of the text and keep the rest byte for byte: of a key given twice both
 * are told, numbers are not read at all. Undefined when the text is not JSON.
 */
export function locateJson(text: string): LocatedJson | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return readValue(text, pass(text, 0), 0);
}

// From here on the text is known to be JSON.

function readValue(text: string, start: number, depth: number): LocatedJson {
  const first = text[start];
  if (first === '"') {
    const end = stringEnd(text, start);
    return { kind: 'string', start, end, text: stringAt(text, start, end) };
  }
  if (first !== '{' && first !== '[') return { kind: 'scalar', start, end: scalarEnd(text, start) };
  if (depth === MAX_DEPTH) return { kind: 'deep', start, end: containerEnd(text, start) };
  return first === '{' ? readObject(text, start, depth) : readArray(text, start, depth);
}

function readObject(text: string, start: number, depth: number): LocatedJson {
  const members: { key: string; value: LocatedJson }[] = [];
  let at = pass(text, start + 1);
  while (text[at] !== '}') {
    const keyEnd = stringEnd(text, at);
    const key = stringAt(text, at, keyEnd);
    const value = readValue(text, pass(text, pass(text, keyEnd) + 1), depth + 1);
    members.push({ key, value });
    at = next(text, value.end);
  }
  return { kind: 'object', start, end: at + 1, members };
}

function readArray(text: string, start: number, depth: number): LocatedJson {
  const items: LocatedJson[] = [];
  let at = pass(text, start + 1);
  while (text[at] !== ']') {
    const item = readValue(text, at, depth + 1);
    items.push(item);
    at = next(text, item.end);
  }
  return { kind: 'array', start, end: at + 1, items };
}

/** Past the comma, if there is one. */
function next(text: string, end: number): number {
  const at = pass(text, end);
  return text[at] === ',' ? pass(text, at + 1) : at;
}

function pass(text: string, start: number): number {
  let at = start;
  for (let c = text[at]; c === ' ' || c === '\n' || c === '\t' || c === '\r'; ) c = text[++at];
  return at;
}

function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - slashes - 1] === '\\') slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
}

function stringAt(text: string, start: number, end: number): string {
  const plain = text.slice(start + 1, end - 1);
  return plain.includes('\\') ? String(JSON.parse(text.slice(start, end))) : plain;
}

const SCALAR = /[-+.\w]*/y;

function scalarEnd(text: string, start: number): number {
  SCALAR.lastIndex = start;
  SCALAR.test(text);
  return SCALAR.lastIndex;
}

function containerEnd(text: string, start: number): number {
  let at = start;
  let open = 0;
  do {
    const c = text[at];
    if (c === '{' || c === '[') open++;
    else if (c === '}' || c === ']') open--;
    at = c === '"' ? stringEnd(text, at) : at + 1;
  } while (open > 0);
  return at;
}
