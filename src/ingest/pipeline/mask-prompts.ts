/**
 * Prompt and completion text inside of log lines: vLLM's request log, and JSON or Python dictionaries of chat messages,
 * also nested as text in other JSON. Quoted text is walked by hand, each character once, since its end depends on how
 * deep it is nested. The rest of the line stays as it is.
 */

import { readQuoted } from './quoted-text.ts';
import { type Noted, substitute } from './substitute.ts';

const MARK = '[redacted:prompt]';

/** What every line has that is changed here, or where a member's name says that it is a prompt. */
export const promptHint =
  /prompt(?:_token_ids)?[\\"']{0,8} ?: ?[[{\\"']|role[\\"']{1,8} ?:|["'](?:gen_ai[._]|llm\.|(?:in|out)put\.value|traceloop\.e)/;

const REQUEST = /(?<![A-Za-z])request [^\s:]{1,256}(?: details)?: prompt: (\\{0,7}["'])/i;
const REQUEST_GOES_ON = /(?:, (?:params|prompt_token_ids|prompt_embeds shape|lora_request): )/y;
const TOKEN_IDS = /(?<=prompt_token_ids: )\[\d[\d, ]*\]?/g;
const ROLE = /role\\{0,7}["'] ?: ?\\{0,7}["'](?:system|developer|user|assistant|tool|function|model)\\{0,7}["']/;
const KEY = /(?<!\\)(\\{0,7})(["'])(prompt|content|reasoning_content|text)\1\2 ?: ?/g;

/** Texts behind `prompt` and, where a chat's role is named, behind `content` and the like. */
export function maskChatText(line: string, note?: Noted): string {
  const chat = ROLE.test(line);
  let result = '';
  let done = 0;
  KEY.lastIndex = 0;
  for (let key = KEY.exec(line); key !== null; key = KEY.exec(line)) {
    if (key[3] !== 'prompt' && !chat) continue;
    let at = KEY.lastIndex;
    const isList = line[at] === '[';
    if (isList) at++;
    // One text, or the texts of a list.
    for (;;) {
      const quoted = readQuoted(line, at);
      if (quoted === undefined) break;
      if (!saysNothing(line.slice(quoted.start, quoted.end))) {
        note?.(quoted.start, quoted.end);
        result += line.slice(done, quoted.start) + MARK;
        done = quoted.end;
      }
      at = quoted.after;
      if (!isList || line[at] !== ',') break;
      at += line[at + 1] === ' ' ? 2 : 1;
    }
    KEY.lastIndex = Math.max(at, KEY.lastIndex);
  }
  return done === 0 ? line : result + line.slice(done);
}

/** vLLM writes `Received request ID: prompt: 'TEXT', params: …, prompt_token_ids: [1, 2], …`. */
export function maskRequestText(line: string, note?: Noted): string {
  const head = REQUEST.exec(line);
  if (head === null) return line;
  const quote = head[1] ?? '';
  const start = head.index + head[0].length;
  // The text may have quotes and escapes of any depth, so its end is where the known fields go on: the last such place.
  for (let end = line.lastIndexOf(quote); end >= start; end = line.lastIndexOf(quote, end - 1)) {
    REQUEST_GOES_ON.lastIndex = end + quote.length;
    if (REQUEST_GOES_ON.test(line)) return maskPart(line, start, end, note);
  }
  // Nothing goes on: the line was cut off, or ends with the prompt.
  const end = line.lastIndexOf(quote);
  return maskPart(line, start, end < start ? line.length : end, note);
}

function maskPart(line: string, start: number, end: number, note: Noted | undefined): string {
  if (line.startsWith(MARK, start)) return line;
  note?.(start, end);
  return line.slice(0, start) + MARK + line.slice(end);
}

/** The numbers of the prompt's tokens are its text, for who has the model. */
export function maskTokenIds(line: string, note?: Noted): string {
  return substitute(line, TOKEN_IDS, () => MARK, note);
}

function saysNothing(text: string): boolean {
  return text === '' || text.startsWith(MARK) || /^(?:null|none)$/i.test(text);
}
