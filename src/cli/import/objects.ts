import { parse } from 'yaml';
import type { BadPart } from './batch.ts';
import { eachLine, runsOfLines } from './lines.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING = new Set([123, 91]); // { [
const CLOSING = new Set([125, 93]); // } ]
const LARGEST_OBJECT = 16 * 1024 * 1024;

/**
 * The objects of a dump as JSON texts, one at a time: of a List its items, of an array its elements, and objects that
 * follow each other. Throws when the brackets don't match or an object is larger than 16 MiB.
 */
export async function* jsonObjects(pieces: AsyncIterable<Buffer>): AsyncGenerator<{ text: string } | BadPart> {
  let depth = 0;
  /** Depth at which objects are given out: 1 at the top, 2 in an array, 3 among the items of a List. */
  let level = 1;
  let inText = false;
  let escaped = false;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let number = 0;
  const hold = (bytes: Buffer) => {
    held.push(bytes);
    heldBytes += bytes.length;
    if (heldBytes > LARGEST_OBJECT) throw new Error(`object ${number + 1} is larger than ${LARGEST_OBJECT} bytes`);
  };
  const drop = () => {
    held = [];
    heldBytes = 0;
  };
  const give = (): { text: string } | BadPart => {
    number++;
    const text = Buffer.concat(held).toString('utf8');
    drop();
    return checked(text, number);
  };
  for await (const piece of pieces) {
    let from = depth >= level ? 0 : -1;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inText = false;
      } else if (byte === QUOTE) inText = true;
      else if (OPENING.has(byte)) {
        if (depth === 0 && byte === 91) {
          level = 2;
          from = -1;
        } else if (
          depth === 1 &&
          byte === 91 &&
          level === 1 &&
          beginsItems(held, piece.subarray(Math.max(0, from), at))
        ) {
          level = 3;
          from = -1;
          drop();
        }
        depth++;
        if (depth === level && byte === 123) from = at;
      } else if (CLOSING.has(byte)) {
        depth--;
        if (depth < 0) throw new Error('the brackets do not match');
        if (depth === level - 1 && byte === 125 && from !== -1) {
          hold(piece.subarray(from, at + 1));
          from = -1;
          yield give();
        } else if (depth === 0) {
          level = 1;
          from = -1;
          drop();
        }
      }
    }
    // Within an object, or at the top of one that may turn out to be a List.
    if (from !== -1) hold(Buffer.from(piece.subarray(from)));
  }
  if (depth > 0) throw new Error('it ends in the middle of an object');
}

function beginsItems(held: readonly Buffer[], rest: Buffer): boolean {
  let before: Buffer = rest.subarray(-64);
  for (let i = held.length - 1; i >= 0 && before.length < 64; i--) {
    before = Buffer.concat([held[i]?.subarray(-64) ?? before, before]).subarray(-64);
  }
  return /"items"\s*:\s*$/.test(before.toString('latin1'));
}

function checked(text: string, number: number): { text: string } | BadPart {
  try {
    JSON.parse(text);
    return { text };
  } catch (error) {
    return { place: `object ${number}`, reason: `not JSON: ${error instanceof Error ? error.message : error}` };
  }
}

/** The same of YAML as kubectl writes it: documents, and the items of a List at its top. */
export async function* yamlObjects(pieces: AsyncIterable<Buffer>): AsyncGenerator<{ text: string } | BadPart> {
  let lines: string[] = [];
  let bytes = 0;
  /** Before the items of a List, among them, or in what follows them. */
  let where: 'before' | 'items' | 'after' = 'before';
  let itemStart = '';
  let number = 0;
  const drop = () => {
    lines = [];
    bytes = 0;
  };
  const give = function* (): Generator<{ text: string } | BadPart> {
    const text = lines.join('\n');
    drop();
    if (text.trim() === '') return;
    number++;
    yield readYaml(text, number);
  };
  for await (const run of runsOfLines(pieces, 256 * 1024)) {
    for (const { text } of eachLine(run)) {
      const line = text.toString('utf8').replace(/\r$/, '');
      if (/^---(\s|$)/.test(line)) {
        yield* give();
        where = 'before';
      } else if (where === 'after') {
        // kind and metadata of the List itself
      } else if (where === 'before' && /^items:\s*$/.test(line)) {
        drop();
        where = 'items';
        itemStart = '';
      } else if (where === 'items' && (itemStart === '' ? /^ *- /.test(line) : line.startsWith(itemStart))) {
        itemStart ||= line.slice(0, line.indexOf('-') + 2);
        yield* give();
        lines.push(line);
      } else if (where === 'items' && /^[^\s#-]/.test(line)) {
        yield* give();
        where = 'after';
      } else lines.push(line);
      bytes += line.length;
      if (bytes > LARGEST_OBJECT) throw new Error(`object ${number + 1} is larger than ${LARGEST_OBJECT} bytes`);
    }
  }
  yield* give();
}

function readYaml(text: string, number: number): { text: string } | BadPart {
  try {
    const value: unknown = parse(text, { maxAliasCount: 100 });
    return { text: JSON.stringify(Array.isArray(value) ? value[0] : value) };
  } catch (error) {
    return { place: `object ${number}`, reason: `not YAML: ${error instanceof Error ? error.message : error}` };
  }
}
