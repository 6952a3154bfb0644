import { RE2JS } from 're2js';

/** A pattern that has to match the whole text; `.` matches newlines too. */
export interface Pattern {
  matches(text: string): boolean;
  /** The groups of a match, the whole text first, missing ones empty; undefined when it does not match. */
  groups(text: string): { numbered: string[]; named: ReadonlyMap<string, string> } | undefined;
}

/** The pattern is no RE2; the message says where. */
export class PatternError extends Error {
  override name = 'PatternError';
}

/** Compiles a pattern; throws PatternError. Plain texts, alternations and `x.*` forms don't go through the automaton. */
export function compilePattern(source: string): Pattern {
  const compiled = compile(source);
  return {
    matches: shortcut(source) ?? ((text) => compiled.matcher(text).matches()),
    groups: (text) => groupsOf(compiled, text),
  };
}

/** The texts that the pattern matches, when these are a short list: `a|b`, `(a|b)`, `a\.b`. */
export function literalsOf(source: string): string[] | undefined {
  const inner = /^\((?:\?:)?([^()]*)\)$/.exec(source)?.[1] ?? source;
  if (!/^(?:[^\\.+*?()[\]{}^$]|\\[^a-zA-Z0-9\n])*$/.test(inner)) return undefined;
  const literals = [''];
  for (const [piece] of inner.matchAll(/\\.|[^\\]/gsu)) {
    if (piece === '|') literals.push('');
    else literals.push(`${literals.pop()}${piece.startsWith('\\') ? piece.slice(1) : piece}`);
  }
  return literals;
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.DOTALL);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new PatternError(message.startsWith('error parsing regexp') ? message : `error parsing regexp: ${message}`);
  }
}

function shortcut(source: string): ((text: string) => boolean) | undefined {
  const literals = literalsOf(source);
  if (literals?.length === 1) return (text) => text === literals[0];
  if (literals) {
    const set = new Set(literals);
    return (text) => set.has(text);
  }
  if (source === '.*') return () => true;
  if (source === '.+') return (text) => text !== '';
  const [, before, literal, after] = /^(\.\*)?([^\\.+*?()[\]{}^$|]+)(\.\*)?$/.exec(source) ?? [];
  if (literal === undefined) return undefined;
  if (before && after) return (text) => text.includes(literal);
  return before ? (text) => text.endsWith(literal) : (text) => text.startsWith(literal);
}

function groupsOf(compiled: RE2JS, text: string): { numbered: string[]; named: Map<string, string> } | undefined {
  const matcher = compiled.matcher(text);
  if (!matcher.matches()) return undefined;
  const numbered = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? '');
  const named = new Map(Object.entries(matcher.getNamedGroups()).map(([name, value]) => [name, value ?? '']));
  return { numbered, named };
}
