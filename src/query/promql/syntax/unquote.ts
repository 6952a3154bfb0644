import { syntaxError } from './syntax-error.ts';

const SIMPLE: Record<string, string> = {
  a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\', "'": "'", '"': '"',
}; // biome-ignore format: a list to read

/**
 * What a quoted string says: Go's escapes. A byte given as `\x` or octal that is no part of UTF-8 becomes a lone
 * surrogate (U+DC80 to U+DCFF), so that it stays distinguishable. `start` is where `inner` begins in `text`, for errors.
 */
export function unquote(text: string, start: number, inner: string): string {
  if (!inner.includes('\\')) return inner;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (let i = 0; i < inner.length; ) {
    if (inner[i] !== '\\') {
      const next = inner.indexOf('\\', i);
      const plain = inner.slice(i, next < 0 ? undefined : next);
      bytes.push(...encoder.encode(plain));
      i += plain.length;
      continue;
    }
    const found = readEscape(inner.slice(i));
    if (!found) throw syntaxError(text, start + i, `unknown escape sequence in string: ${inner.slice(i, i + 2)}`);
    bytes.push(...(found.byte !== undefined ? [found.byte] : encoder.encode(found.text)));
    i += found.length;
  }
  return decodeUtf8(Uint8Array.from(bytes));
}

/** Go's `%q` for messages. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(/\\udc([89a-f][0-9a-f])/g, '\\x$1');
}

/** Names of labels and metrics are any text that is valid UTF-8 and not empty. */
export function isValidName(name: string): boolean {
  return name !== '' && !/[\ud800-\udfff]/u.test(name);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return decodeLossless(bytes);
  }
}

function decodeLossless(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i] ?? 0;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    try {
      text += decoder.decode(bytes.subarray(i, i + length));
      i += length;
    } catch {
      text += String.fromCharCode(0xdc00 + lead);
      i++;
    }
  }
  return text;
}

interface Escape {
  length: number;
  text: string;
  byte?: number;
}

function readEscape(rest: string): Escape | undefined {
  const simple = SIMPLE[rest[1] ?? ''];
  if (simple !== undefined) return { length: 2, text: simple };
  const byte = /^\\(?:x([0-9a-fA-F]{2})|([0-3][0-7]{2}))/.exec(rest);
  if (byte) {
    const value = byte[1] !== undefined ? Number.parseInt(byte[1], 16) : Number.parseInt(byte[2] ?? '', 8);
    return { length: byte[0].length, text: '', byte: value };
  }
  const rune = /^\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(rest);
  if (!rune) return undefined;
  const code = Number.parseInt(rune[1] ?? rune[2] ?? '', 16);
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined;
  return { length: rune[0].length, text: String.fromCodePoint(code) };
}
