import type { PromqlError } from '../error.ts';
import type { Span } from './ast.ts';
import { syntaxError } from './syntax-error.ts';
import { type Token, tokenize } from './tokens.ts';

/** A place in the tokens of one query, and the errors that can be said about it. */
export class Cursor {
  private readonly text: string;
  private readonly tokens: Token[];
  private at = 0;

  constructor(text: string) {
    this.text = text;
    this.tokens = tokenize(text);
  }

  peek(ahead = 0): Token {
    const index = Math.min(this.at + ahead, this.tokens.length - 1);
    return this.tokens[index] ?? { kind: 'end', text: '', span: { start: this.text.length, end: this.text.length } };
  }

  next(): Token {
    const token = this.peek();
    this.at++;
    return token;
  }

  /** Where the token before this place ended. */
  lastEnd(): number {
    return this.tokens[this.at - 1]?.span.end ?? 0;
  }

  isPunctuation(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'punctuation' && token.text === text;
  }

  /** Keywords are known in any case. */
  isWord(word: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'word' && token.text.toLowerCase() === word;
  }

  takeWord(word: string): boolean {
    if (!this.isWord(word)) return false;
    this.at++;
    return true;
  }

  takeSign(): 1 | -1 {
    const token = this.peek();
    if (token.kind !== 'operator' || (token.text !== '-' && token.text !== '+')) return 1;
    this.at++;
    return token.text === '-' ? -1 : 1;
  }

  take(punctuation: string, context: string): Token {
    if (!this.isPunctuation(punctuation)) throw this.unexpected(context, `"${punctuation}"`);
    return this.next();
  }

  error(message: string, at: Span | { span: Span }): PromqlError {
    return syntaxError(this.text, 'span' in at ? at.span : at, message);
  }

  /** `unexpected <what> in <context>, expected <what>`. */
  unexpected(context: string, expected = ''): PromqlError {
    const token = this.peek();
    const where = context ? ` in ${context}` : '';
    const wanted = expected ? `, expected ${expected}` : '';
    return syntaxError(this.text, token.span, `unexpected ${describe(token)}${where}${wanted}`);
  }
}

function describe(token: Token): string {
  switch (token.kind) {
    case 'end':
      return 'end of input';
    case 'operator':
      return `<op:${token.text}>`;
    case 'word':
      return `<${token.text}>`;
    case 'punctuation':
      return JSON.stringify(token.text);
    case 'string':
      return `string ${JSON.stringify(token.text)}`;
    case 'duration':
    case 'number':
      return `number ${JSON.stringify(token.text)}`;
    case 'identifier':
      return `identifier ${JSON.stringify(token.text)}`;
  }
}
