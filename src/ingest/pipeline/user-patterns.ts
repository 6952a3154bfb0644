import { RE2JS } from 're2js';
import { RULES } from './redaction-rules.ts';
import type { Noted } from './substitute.ts';

/** A rule of the operator's own. */
export interface UserPattern {
  /** What the mark says: lower-case letters, digits and dashes; not the name of a built-in rule. */
  name: string;
  /** A text that every match contains. Only texts that have it are searched, since a pattern costs a hundred times a look for a text. */
  literal: string;
  /** In RE2's syntax, whose time is linear in the text. */
  pattern: string;
}

export interface UserRule {
  name: string;
  apply(text: string, note?: Noted): string;
}

interface PatternProblem {
  key: keyof UserPattern;
  message: string;
}

/** What is wrong with a pattern, at most one thing with each of its keys; empty when it can be used. */
export function checkUserPattern({ name, literal, pattern }: UserPattern): PatternProblem[] {
  const ofLiteral = checkLiteral(literal);
  const found = [checkName(name), ofLiteral, checkPattern(pattern, ofLiteral === undefined ? literal : undefined)];
  return found.filter((problem) => problem !== undefined);
}

function checkName(name: string): PatternProblem | undefined {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name)) {
    return {
      key: 'name',
      message: `${JSON.stringify(name)} is not a name for a rule; use lower-case letters, digits and dashes, at most 40`,
    };
  }
  if (Object.hasOwn(RULES, name)) return { key: 'name', message: `${name} is a built-in rule; choose another name` };
  return undefined;
}

function checkLiteral(literal: string): PatternProblem | undefined {
  if (literal.length >= 3) return undefined;
  return {
    key: 'literal',
    message: `${JSON.stringify(literal)} is too short; give at least three characters that every match contains`,
  };
}

/** Also against its literal, unless there is something wrong with that. */
function checkPattern(pattern: string, literal: string | undefined): PatternProblem | undefined {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    return { key: 'pattern', message: error instanceof Error ? error.message : String(error) };
  }
  if (compiled.matcher('').matches()) return { key: 'pattern', message: 'it matches the empty text' };
  const required = requiredTexts(pattern);
  if (required === 'any-case') {
    return {
      key: 'pattern',
      message:
        'letters have to match in their case, or the literal could not be looked for; leave (?i) away and write [aA] where both may stand',
    };
  }
  if (literal !== undefined && !required.some((text) => text.includes(literal))) {
    return {
      key: 'literal',
      message: `not every match of the pattern contains ${JSON.stringify(literal)}, as far as can be told; write it outright in the pattern, outside of alternatives and of what may be missing`,
    };
  }
  return undefined;
}

/** Characters that are searched at once, by how many such stretches overlap, and the most matches that one may have. */
const STRETCH = 4096;
const OVERLAP = 1024;
const MOST_MATCHES = 100;

/**
 * The pattern as a rule. A search is linear, but many searches that each look to the end of a long text are not; so a
 * text is searched in stretches of 4,096 characters around the literal, and a stretch with more than 100 matches is
 * hidden as a whole. A match of up to 1,024 characters is always found.
 */
export function compileUserRule({ name, literal, pattern }: UserPattern): UserRule {
  const compiled = RE2JS.compile(pattern);
  const mark = `[redacted:${name}]`;
  return {
    name,
    apply(text, note) {
      let result = '';
      let done = 0;
      const hide = (start: number, end: number) => {
        result += text.slice(done, start) + mark;
        done = end;
        note?.(start, end);
      };
      for (let hit = text.indexOf(literal); hit >= 0; ) {
        const start = Math.max(done, hit - OVERLAP);
        const end = Math.min(text.length, start + STRETCH);
        // A match that begins later may go on behind the stretch, so it belongs to the next.
        const last = end === text.length ? end : end - OVERLAP;
        const matcher = compiled.matcher(text.slice(start, end));
        for (let found = 0; matcher.find(); found++) {
          const from = start + matcher.start();
          const to = start + matcher.end();
          if (from >= last) break;
          if (to === from) continue;
          if (found >= MOST_MATCHES) {
            hide(from, Math.max(to, last));
            break;
          }
          hide(from, to);
        }
        hit = text.indexOf(literal, Math.max(done, last, hit + 1));
      }
      return done === 0 ? text : result + text.slice(done);
    },
  };
}

/**
 * Runs of characters that every match has, told from the pattern's text: those outside of alternatives and of what may be
 * missing. Too few rather than too many.
 */
function requiredTexts(pattern: string): string[] | 'any-case' {
  let at = 0;
  let anyCase = false;

  /** Whether what was just read may be missing from a match, and whether it may stand more than once. */
  const quantifier = (): { optional: boolean; repeated: boolean } => {
    const found = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})[?+]?/.exec(pattern.slice(at));
    if (found === null) return { optional: false, repeated: false };
    at += found[0].length;
    const optional = found[1] === undefined ? found[0][0] !== '+' : Number(found[1]) === 0;
    return { optional, repeated: true };
  };
  const alternatives = (): string[] => {
    const branches = [sequence()];
    while (pattern[at] === '|') {
      at++;
      branches.push(sequence());
    }
    return branches.length === 1 ? (branches[0] ?? []) : [];
  };
  const sequence = (): string[] => {
    const runs: string[] = [];
    let run = '';
    const end = () => {
      if (run !== '') runs.push(run);
      run = '';
    };
    const character = (text: string) => {
      const { optional, repeated } = quantifier();
      if (!optional) run += text;
      if (optional || repeated) end();
    };
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') {
      const c = pattern[at++] ?? '';
      if (c === '(') {
        const opening = /^\?(?:P?<[^>]*>|([a-zA-Z-]*)([:)]))/.exec(pattern.slice(at));
        at += opening?.[0].length ?? 0;
        if (/^[^-]*i/.test(opening?.[1] ?? '')) anyCase = true;
        if (opening?.[2] === ')') continue; // flags alone
        const inner = alternatives();
        at++; // its end
        end();
        if (!quantifier().optional) runs.push(...inner);
      } else if (c === '[') {
        const negated = pattern[at] === '^' ? 1 : 0;
        at += negated + 1; // the first may be a bracket that means itself
        while (at < pattern.length && pattern[at] !== ']')
          at += pattern[at] === '\\' ? 2 : pattern.startsWith('[:', at) ? 2 : 1;
        at++;
        quantifier();
        end();
      } else if (c === '\\') {
        const escaped = pattern[at++] ?? '';
        if (escaped === 'Q') {
          const close = pattern.indexOf('\\E', at);
          end();
          runs.push(pattern.slice(at, close < 0 ? undefined : close));
          at = close < 0 ? pattern.length : close + 2;
          if (quantifier().repeated) runs.pop();
        } else if (/[a-zA-Z0-9]/.test(escaped)) {
          if (/[pPx]/.test(escaped)) at += /^(?:\{[^}]*\}|..?)/.exec(pattern.slice(at))?.[0].length ?? 0;
          quantifier();
          end();
        } else character(escaped);
      } else if (c === '.' || c === '^' || c === '$') {
        quantifier();
        end();
      } else character(c);
    }
    end();
    return runs;
  };
  const texts = alternatives();
  return anyCase ? 'any-case' : texts;
}
