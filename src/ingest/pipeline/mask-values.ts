import { isNoSecret } from './no-secret.ts';
import { type QuotedText, readQuoted, slashesBefore } from './quoted-text.ts';
import type { Noted } from './substitute.ts';

/**
 * Values behind keys in text: quoted ones, also where JSON is nested in JSON or the closing quote is missing, bare ones,
 * and whole lists and objects. Each is walked once, so that the time is linear. Key and punctuation stay.
 */

/**
 * Masks what stands behind each match of `key`, which is global and ends where the value begins. `bare` is sticky: what
 * counts as a value without quotes.
 */
export function maskValues(text: string, key: RegExp, bare: RegExp, mark: string, note?: Noted): string {
  let result = '';
  let done = 0;
  key.lastIndex = 0;
  while (key.test(text)) {
    const value = readSqlText(text, key.lastIndex) ?? readBare(text, key.lastIndex, bare);
    if (value === undefined) continue;
    if (tellsSomething(text.slice(value.start, value.end))) {
      note?.(value.start, value.end);
      result += text.slice(done, value.start) + mark;
      done = value.end;
      key.lastIndex = value.after;
    } else if (value.end > value.start) key.lastIndex = value.start;
  }
  return done === 0 ? text : result + text.slice(done);
}

/** SQL and shells go on where a quote follows at once: `'it''s'`. */
function readSqlText(text: string, at: number): QuotedText | undefined {
  const quoted = readQuoted(text, at);
  if (quoted === undefined || text[at] !== "'") return quoted;
  let { end, after } = quoted;
  while (text[after] === "'" && after > end) {
    const next = readQuoted(text, after);
    if (next === undefined) break;
    end = next.end;
    after = next.after;
  }
  return { start: quoted.start, end, after };
}

/** Also the first of a list without quotes, as Go prints one: `map[X-Api-Key:[abc]]`. */
function readBare(text: string, at: number, bare: RegExp): QuotedText | undefined {
  if (text.startsWith('[redacted', at)) return undefined;
  const start = text[at] === '[' ? at + 1 : at;
  bare.lastIndex = start;
  if (!bare.test(text)) return undefined;
  return { start, end: bare.lastIndex, after: bare.lastIndex };
}

const MEMBER = /(?<!\\)(\\{0,255})(["'])([\w.-]{1,100})\1\2[ \t]{0,4}:[ \t]{0,4}(?=[[{\d\\"'-])/g;
const NUMBER = /-?\d[\d.eE+-]{0,400}/y;

/**
 * Masks the values of JSON members as a whole. `wanted` says which: it is given the member's name and its number, or the
 * character that a text, list or object begins with.
 */
export function maskMembers(
  text: string,
  wanted: (key: string, value: string) => boolean,
  mark: string,
  note?: Noted,
): string {
  let result = '';
  let done = 0;
  MEMBER.lastIndex = 0;
  for (let member = MEMBER.exec(text); member !== null; member = MEMBER.exec(text)) {
    const [, slashes = '', quote = '', key = ''] = member;
    const at = MEMBER.lastIndex;
    const first = text[at] ?? '';
    if (first === '"' || first === "'" || first === '\\') {
      const quoted = wanted(key, '"') ? readQuoted(text, at) : undefined;
      if (quoted === undefined) continue;
      // Its own quotes stay.
      if (tellsSomething(text.slice(quoted.start, quoted.end))) {
        note?.(quoted.start, quoted.end);
        result += text.slice(done, quoted.start) + mark;
        done = quoted.end;
      }
      MEMBER.lastIndex = quoted.end;
      continue;
    }
    const isStructure = first === '[' || first === '{';
    const number = isStructure ? '' : numberAt(text, at);
    if (!wanted(key, isStructure ? first : number)) continue;
    const part = isStructure
      ? readStructure(text, at, slashes.length)
      : { end: at + number.length, tells: number !== '' && tellsSomething(number) };
    if (part.tells) {
      note?.(at, part.end, 2 * (slashes.length + 1));
      result += `${text.slice(done, at)}${slashes}${quote}${mark}${slashes}${quote}`;
      done = part.end;
    }
    MEMBER.lastIndex = part.end;
  }
  return done === 0 ? text : result + text.slice(done);
}

function numberAt(text: string, at: number): string {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0] ?? '';
}

/**
 * A list or an object to its closing bracket, to the end of the text it is nested in, or to the end where it was cut off. It
 * tells something when it has a text or a long number; names of members do not count, nor does what is hidden already.
 */
function readStructure(text: string, start: number, depth: number): { end: number; tells: boolean } {
  const token = /["'[\]{}]|\d{4}/g;
  token.lastIndex = start;
  let open = 0;
  let tells = false;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const { index } = found;
    const c = found[0];
    if (c === '[' || c === '{') open++;
    else if (c === ']' || c === '}') {
      open--;
      if (open === 0) return { end: index + 1, tells };
    } else if (c === '"' || c === "'") {
      const slashes = slashesBefore(text, index, start);
      if (slashes < depth) return { end: index - slashes, tells };
      const quoted = readQuoted(text, index - depth);
      if (quoted === undefined) break;
      const isName = NAME_ENDS.test(text.slice(quoted.after, quoted.after + 4));
      if (!isName && tellsSomething(text.slice(quoted.start, quoted.end))) tells = true;
      token.lastIndex = quoted.after;
    } else tells = true;
  }
  return { end: text.length, tells };
}

const NAME_ENDS = /^[ \t]{0,3}:/;

/** A text may end in a key: what follows then is JSON, not its value, as in `"msg":"bad password:"}`. */
const GOES_ON = /^[\s,:;{}[\]()]*$|^[,}\]](?:[\s,:;{}[\]()\deE.+-]|null|true|false)*$/;

function tellsSomething(value: string): boolean {
  return !GOES_ON.test(value) && !/^\[redacted:[\w-]{1,64}\]$/.test(value) && !isNoSecret(value);
}
