import { redactText } from '../../pipeline/index.ts';
import { DecodeError } from '../wire/index.ts';

/**
 * Parses the labels of a stream as Loki's protobuf carries them: `{app="api", pod="api-0"}`. Throws DecodeError with
 * the position of the first mistake.
 */
export function parseStreamLabels(text: string): Map<string, string> {
  const labels = new Map<string, string>();
  const fail = (what: string, at: number): never => {
    // What is hidden may reach to the end of the text, and with it the rest of the message.
    const shown = redactText(text) === text ? text.slice(0, 300) : '{…}';
    throw new DecodeError(`error parsing labels '${shown}' with error: ${what} at character ${at + 1}`);
  };
  const space = (at: number) => {
    let pos = at;
    while (/\s/.test(text[pos] ?? '')) pos++;
    return pos;
  };
  let pos = space(0);
  if (text[pos] !== '{') fail('expected "{"', pos);
  pos = space(pos + 1);
  while (text[pos] !== '}') {
    NAME.lastIndex = pos;
    const name = NAME.exec(text)?.[0] ?? fail('expected a label name', pos);
    pos = space(pos + name.length);
    if (text[pos] !== '=') fail('expected "="', pos);
    pos = space(pos + 1);
    QUOTED.lastIndex = pos;
    const quoted = QUOTED.exec(text)?.[0] ?? fail('expected a value in quotes', pos);
    if (labels.has(name)) fail(`label "${name}" comes twice`, pos);
    labels.set(name, unquote(quoted) ?? fail('bad escape in a value', pos));
    pos = space(pos + quoted.length);
    if (text[pos] === ',') pos = space(pos + 1);
    else if (text[pos] !== '}') fail('expected "," or "}"', pos);
  }
  if (space(pos + 1) !== text.length) fail('text after "}"', pos + 1);
  return labels;
}

const NAME = /[A-Za-z_:][A-Za-z0-9_:.-]*/y;
const QUOTED = /"(?:[^"\\\n]|\\.)*"|`[^`]*`/y;
const ESCAPES: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\', '"': '"', "'": "'" }; // biome-ignore format: a table

/** Go's string literals, interpreted or raw. Byte escapes above 0x7f must form UTF-8 together. */
function unquote(quoted: string): string | undefined {
  const inner = quoted.slice(1, -1);
  if (quoted[0] === '`' || !inner.includes('\\')) return inner;
  const bytes: Buffer[] = [];
  const pattern = /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|.)|[^\\]+/gy;
  for (const match of inner.matchAll(pattern)) {
    const code = match[1];
    if (code === undefined) bytes.push(Buffer.from(match[0]));
    else if (code.length === 1) {
      const plain = ESCAPES[code];
      if (plain === undefined) return undefined;
      bytes.push(Buffer.from(plain));
    } else if (code[0] === 'x') bytes.push(Buffer.from(code.slice(1), 'hex'));
    else if (code[0] === 'u' || code[0] === 'U') {
      const point = Number.parseInt(code.slice(1), 16);
      if (point > 0x10ffff) return undefined;
      bytes.push(Buffer.from(String.fromCodePoint(point)));
    } else bytes.push(Buffer.of(Number.parseInt(code, 8)));
  }
  return Buffer.concat(bytes).toString('utf8');
}
