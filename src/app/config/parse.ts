import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { nearest } from '../../base/index.ts';
import type { ConfigProblem } from './problem.ts';
import { PLANNED_KEYS } from './schema.ts';

export type ParseResult<T> = { value: T; problems: [] } | { value?: undefined; problems: ConfigProblem[] };

/** Reads a configuration text against a schema; every problem carries file, line and column. */
export function parseConfig<S extends z.ZodType>(options: {
  text: string;
  file: string;
  schema: S;
  /** `listen.http` → text from environment and flags; they win over the file. */
  overrides: ReadonlyMap<string, { value: string; from: string }>;
}): ParseResult<z.output<S>> {
  const lines = new LineCounter();
  const document = parseDocument(options.text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    version: '1.2',
  });
  const position = (offset: number) => ({ line: lines.linePos(offset).line, column: lines.linePos(offset).col });
  if (document.errors.length > 0) {
    return {
      problems: document.errors.map((error) => ({
        file: options.file,
        ...position(error.pos[0]),
        message: error.message,
      })),
    };
  }
  const value: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return {
      problems: [
        { file: options.file, line: 1, column: 1, message: 'expected keys and values, for example `data: ./data`' },
      ],
    };
  }
  const merged = applyOverrides(value, options.overrides);
  const parsed = options.schema.safeParse(merged);
  if (parsed.success) return { value: parsed.data, problems: [] };
  const problems = parsed.error.issues.flatMap((issue) => {
    const override = options.overrides.get(issue.path.join('.'));
    if (override) return [{ file: override.from, message: issue.message }];
    return expandIssue(issue, merged, options.schema).map((found) => ({
      file: options.file,
      ...placeOf(document, found.path, found.key, position),
      message: found.message,
    }));
  });
  return { problems };
}

interface FoundIssue {
  path: PropertyKey[];
  /** Set when the problem is the key itself. */
  key?: string;
  message: string;
}

function expandIssue(issue: z.core.$ZodIssue, value: unknown, schema: z.ZodType): FoundIssue[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: issue.path, key, message: unknownKey(issue.path, key, schema) }));
  }
  if (issue.code === 'invalid_union') {
    const branch = [...issue.errors].sort((a, b) => branchDistance(a) - branchDistance(b))[0] ?? [];
    const inner = branch.flatMap((found) =>
      expandIssue({ ...found, path: [...issue.path, ...found.path] }, value, schema),
    );
    if (inner.length > 0) return inner;
  }
  const name = nameOf(issue.path);
  return [{ path: issue.path, message: `${name}: ${issue.message}` }];
}

/** `redaction.patterns[1].literal`. */
function nameOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`))
    .join('');
}

/** How far a branch of a union is from what was written: unknown keys weigh more than missing ones. */
function branchDistance(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? 2 * issue.keys.length : 1), 0);
}

function unknownKey(path: readonly PropertyKey[], key: string, schema: z.ZodType): string {
  const name = [...path.filter((part) => typeof part === 'string'), key].join('.');
  if (PLANNED_KEYS.has(name)) return `${name} is not available in this version`;
  const suggestion = nearest(key, knownKeys(schema, path));
  return `unknown key ${name}${suggestion ? `; did you mean ${suggestion}?` : ''}`;
}

/** The keys that the schema knows at a path; of all branches where there are several. */
function knownKeys(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const def = schema._zod.def as { type: string } & Record<string, unknown>; // zod keeps every definition there
  const inner = (def.innerType ?? def.in) as z.core.$ZodType | undefined; // wrappers: default, prefault, optional, pipe
  if (inner) return knownKeys(inner, path);
  if (def.type === 'union') return (def.options as z.core.$ZodType[]).flatMap((option) => knownKeys(option, path)); // a union's def lists them
  if (def.type === 'array') return knownKeys(def.element as z.core.$ZodType, path.slice(1)); // an array's def has its element
  if (def.type === 'record') return path.length > 0 ? knownKeys(def.valueType as z.core.$ZodType, path.slice(1)) : []; // as above
  if (def.type !== 'object') return [];
  const shape = def.shape as Record<string, z.core.$ZodType>; // an object's def has its shape
  const [first, ...rest] = path;
  if (first === undefined) return Object.keys(shape);
  const next = shape[String(first)];
  return next ? knownKeys(next, rest) : [];
}

function placeOf(
  document: Document,
  path: readonly PropertyKey[],
  key: string | undefined,
  position: (offset: number) => { line: number; column: number },
): { line?: number; column?: number } {
  for (let depth = path.length; depth >= 0; depth--) {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    if (!isNode(node) || !node.range) continue;
    if (key !== undefined && depth === path.length && isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
      if (isScalar(pair?.key) && pair.key.range) return position(pair.key.range[0]);
    }
    return position(node.range[0]);
  }
  return {};
}

function applyOverrides(value: object, overrides: ReadonlyMap<string, { value: string }>): object {
  const merged = structuredClone(value) as Record<string, unknown>; // a plain object from YAML
  for (const [path, override] of overrides) {
    const parts = path.split('.');
    let target = merged;
    for (const part of parts.slice(0, -1)) {
      if (typeof target[part] !== 'object' || target[part] === null) target[part] = {};
      target = target[part] as Record<string, unknown>; // made an object in the line before
    }
    target[parts.at(-1) ?? ''] = scalar(override.value);
  }
  return merged;
}

/** Environment and flags are text; numbers and booleans are taken as YAML would. */
function scalar(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d+$/.test(text) ? Number(text) : text;
}
