import type { Span } from './ast.ts';
import { syntaxError } from './syntax-error.ts';
import { unquote } from './unquote.ts';

export type TokenKind = 'number' | 'duration' | 'string' | 'identifier' | 'word' | 'operator' | 'punctuation' | 'end';

export interface Token {
  kind: TokenKind;
  /** As written. */
  text: string;
  span: Span;
  /** What a string says without quotes and escapes. */
  value?: string;
}

/** More than people and tools write; beyond these a query is a mistake or an attack, and recursion must stay shallow. */
const MAX_LENGTH = 200_000;
const MAX_NESTING = 200;
const MAX_OPERATORS = 1000;

/**
 * Cuts a query into tokens; throws PromqlError on characters and literals that are none. A `word` is an identifier
 * that is a keyword outside of braces, `text` is as written, and names with a colon are identifiers too.
 */
export function tokenize(text: string): Token[] {
  if (text.length > MAX_LENGTH) throw syntaxError(text, 0, `query is longer than ${MAX_LENGTH} characters`);
  const tokens: Token[] = [];
  const open: string[] = [];
  let operators = 0;
  for (let at = 0; at < text.length; ) {
    const skipped = /^(?:\s+|#[^\n]*)/.exec(text.slice(at));
    if (skipped) {
      at += skipped[0].length;
      continue;
    }
    const token = readToken(text, at, { braces: open.includes('{'), brackets: open.includes('[') });
    tokens.push(token);
    trackBrackets(text, token, open);
    if (open.length > MAX_NESTING) throw syntaxError(text, at, `query is nested more than ${MAX_NESTING} levels deep`);
    if (token.kind === 'operator' && ++operators > MAX_OPERATORS)
      throw syntaxError(text, at, `query has more than ${MAX_OPERATORS} operators`);
    at = token.span.end;
  }
  const unclosed = open.at(-1);
  if (unclosed) throw syntaxError(text, text.length, UNCLOSED[unclosed] ?? 'unexpected end of input');
  tokens.push({ kind: 'end', text: '', span: { start: text.length, end: text.length } });
  return tokens;
}

interface Inside {
  braces: boolean;
  brackets: boolean;
}

const UNCLOSED: Record<string, string> = {
  '(': 'unclosed left parenthesis',
  '[': 'unexpected end of input inside brackets',
  '{': 'unexpected end of input inside braces',
};
const CLOSERS: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
const CLOSER_NAMES: Record<string, string> = { ')': 'parenthesis', ']': 'bracket', '}': 'brace' };

function trackBrackets(text: string, token: Token, open: string[]): void {
  if (token.kind !== 'punctuation') return;
  if (token.text === '(' || token.text === '[' || token.text === '{') {
    open.push(token.text);
    return;
  }
  const opener = CLOSERS[token.text];
  if (!opener) return;
  const last = open.pop();
  if (last === opener) return;
  if (last === '(') throw syntaxError(text, token.span, 'unclosed left parenthesis');
  throw syntaxError(text, token.span, `unexpected right ${CLOSER_NAMES[token.text]} '${token.text}'`);
}

function readToken(text: string, at: number, inside: Inside): Token {
  const char = text[at] ?? '';
  if (char === '"' || char === "'" || char === '`') return readString(text, at);
  if (/[0-9]/.test(char) || (char === '.' && /[0-9]/.test(text[at + 1] ?? ''))) return readNumber(text, at);
  const rest = text.slice(at);
  // Inside brackets a colon parts range and step; elsewhere it belongs to names.
  const name = (inside.brackets ? /^[a-zA-Z_][a-zA-Z0-9_]*/ : /^[a-zA-Z_:][a-zA-Z0-9_:]*/).exec(rest);
  if (name) return make(isKeyword(name[0]) ? 'word' : 'identifier', text, at, name[0].length);
  const operator = /^(?:=~|!~|==|!=|<=|>=|<\/|>\/|[-+*/%^<>=@])/.exec(rest);
  if (operator && isOperatorHere(operator[0], inside.braces)) return make('operator', text, at, operator[0].length);
  if (/^[(){}[\],:]/.test(rest)) return make('punctuation', text, at, 1);
  throw unexpectedCharacter(text, at, inside.braces);
}

function isOperatorHere(operator: string, inBraces: boolean): boolean {
  return inBraces ? /^(?:=~|!~|=|!=)$/.test(operator) : !/^(?:=~|!~|=)$/.test(operator);
}

function unexpectedCharacter(text: string, at: number, inBraces: boolean) {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const next = text[at + 1];
  if (inBraces) return syntaxError(text, at, `unexpected character inside braces: '${char}'`);
  if (char === '=' || char === '!') {
    if (next === undefined) return syntaxError(text, at, `unexpected end of input after '${char}'`);
    return syntaxError(text, at, `unexpected character after '${char}': '${next}'`);
  }
  return syntaxError(text, at, `unexpected character: '${char}'`);
}

function make(kind: TokenKind, text: string, at: number, length: number): Token {
  return { kind, text: text.slice(at, at + length), span: { start: at, end: at + length } };
}

function readString(text: string, at: number): Token {
  const quote = text[at] ?? '';
  let end = at + 1;
  for (; end < text.length && text[end] !== quote; end++) {
    if (quote === '`') continue;
    if (text[end] === '\n') throw syntaxError(text, at, 'unterminated quoted string');
    if (text[end] === '\\') end++;
  }
  if (end >= text.length) {
    throw syntaxError(text, at, quote === '`' ? 'unterminated raw string' : 'unterminated quoted string');
  }
  const token = make('string', text, at, end + 1 - at);
  const inner = text.slice(at + 1, end);
  return { ...token, value: quote === '`' ? inner : unquote(text, at + 1, inner) };
}

const NUMBER =
  /^(?:0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][-+]?\d+(?:_\d+)*)?)/;
const DURATION = /^(?=\d)(?:\d+y)?(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m(?!s))?(?:\d+s)?(?:\d+ms)?/;

function readNumber(text: string, at: number): Token {
  const rest = text.slice(at);
  const duration = DURATION.exec(rest)?.[0] ?? '';
  const number = NUMBER.exec(rest)?.[0] ?? '';
  const length = Math.max(duration.length, number.length);
  if (/[a-zA-Z0-9_.]/.test(rest[length] ?? '')) {
    throw syntaxError(text, at, `bad number or duration syntax: ${JSON.stringify(rest.slice(0, length + 1))}`);
  }
  return make(duration.length > number.length ? 'duration' : 'number', text, at, length);
}

const KEYWORDS = new Set([
  'and', 'or', 'unless', 'atan2', 'sum', 'avg', 'count', 'min', 'max', 'group', 'stddev', 'stdvar', 'topk', 'bottomk',
  'quantile', 'count_values', 'limitk', 'limit_ratio', 'by', 'without', 'on', 'ignoring', 'group_left', 'group_right',
  'bool', 'offset', 'start', 'end', 'inf', 'nan', 'fill', 'fill_left', 'fill_right', 'smoothed', 'anchored',
]); // biome-ignore format: a list to read

function isKeyword(name: string): boolean {
  return KEYWORDS.has(name.toLowerCase());
}
