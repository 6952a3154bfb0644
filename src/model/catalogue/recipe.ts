import type { CanonicalSignal, Stat } from './signal.ts';

/**
 * How a system gives a signal, as data. `names` lists the spellings of one thing, newest first: where a target has
 * several, the first counts and the others don't.
 */
export type Recipe =
  | { kind: 'histogram'; names: readonly string[]; where?: string }
  | { kind: 'counter'; names: readonly string[]; where?: string; scale?: number }
  | { kind: 'gauge'; names: readonly string[]; where?: string; scale?: number }
  | { kind: 'share'; part: Recipe; whole: Recipe }
  /** For what the other forms can't say: an expression with one series per set of `grain` labels. */
  | { kind: 'custom'; expression: (query: RecipeContext) => string };

export interface RecipeContext {
  /** Label matchers without braces, never empty. */
  matchers: string;
  /** Range of rates, as PromQL writes it. */
  range: string;
  /** Labels that identify one home entity. */
  grain: readonly string[];
}

/** PromQL for a signal with one series per set of `group` labels (none: one series for all). */
export function compileRecipe(
  recipe: Recipe,
  signal: Pick<CanonicalSignal, 'aggregate'>,
  stat: Stat | undefined,
  query: RecipeContext & { group: readonly string[] },
): string {
  switch (recipe.kind) {
    case 'histogram':
      return histogram(recipe, stat ?? 'p95', query);
    case 'share':
      return `${summed(recipe.part, query)} / ${summed(recipe.whole, query)}`;
    default:
      return foldInto(signal.aggregate, leaves(recipe, query), query);
  }
}

function summed(recipe: Recipe, query: RecipeContext & { group: readonly string[] }): string {
  return foldInto('sum', leaves(recipe, query), query);
}

function leaves(recipe: Recipe, query: RecipeContext): string[] {
  switch (recipe.kind) {
    case 'counter':
      return recipe.names.map((name) =>
        scaled(`rate(${selector(name, query.matchers, recipe.where)}[${query.range}])`, recipe.scale),
      );
    case 'gauge':
      return recipe.names.map((name) => scaled(selector(name, query.matchers, recipe.where), recipe.scale));
    case 'custom':
      return [recipe.expression(query)];
    default:
      throw new Error(`a ${recipe.kind} can't be part of another recipe`);
  }
}

const FOLDS: Record<CanonicalSignal['aggregate'], string> = {
  sum: 'sum', mean: 'avg', max: 'max', min: 'min', quantile: 'avg', share: 'sum',
}; // biome-ignore format: a table to read

/** Spellings are united per home entity before they are folded into groups, so that what has two counts once. */
function foldInto(
  aggregate: CanonicalSignal['aggregate'],
  parts: string[],
  query: RecipeContext & { group: readonly string[] },
): string {
  const fold = FOLDS[aggregate];
  const [only, ...others] = parts;
  if (others.length === 0) return `${fold}${by(query.group)} (${only})`;
  const united = parts.map((part) => `${fold}${by(query.grain)} (${part})`).join(' or ');
  return sameLabels(query.group, query.grain) ? `(${united})` : `${fold}${by(query.group)} (${united})`;
}

function histogram(
  recipe: Recipe & { kind: 'histogram' },
  stat: Stat,
  query: RecipeContext & { group: readonly string[] },
): string {
  const part = (suffix: string, keep: readonly string[]): string => {
    const rates = recipe.names.map(
      (name) => `rate(${selector(name + suffix, query.matchers, recipe.where)}[${query.range}])`,
    );
    const group = [...keep, ...query.group];
    const [only, ...others] = rates;
    if (others.length === 0) return `sum${by(group)} (${only})`;
    const united = rates.map((rate) => `sum${by([...keep, ...query.grain])} (${rate})`).join(' or ');
    return `sum${by(group)} (${united})`;
  };
  if (stat === 'rate') return part('_count', []);
  if (stat === 'mean') return `${part('_sum', [])} / ${part('_count', [])}`;
  return `histogram_quantile(${Number(stat.slice(1)) / 100}, ${part('_bucket', ['le'])})`;
}

export function selector(name: string, matchers: string, where?: string): string {
  return `${name}{${where ? `${matchers},${where}` : matchers}}`;
}

function scaled(expression: string, scale: number | undefined): string {
  return scale === undefined ? expression : `${expression} * ${scale}`;
}

export function by(labels: readonly string[]): string {
  return labels.length === 0 ? '' : ` by (${labels.join(', ')})`;
}

function sameLabels(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((label) => b.includes(label));
}
