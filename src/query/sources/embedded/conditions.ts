import { METRIC_NAME, type Scope } from '../../../model/index.ts';
import { literalsOf } from '../../re2/index.ts';
import { bind, joinSql, type Sql, sql, text } from '../../sql/index.ts';
import type { Matcher } from '../contract.ts';

/** Conditions on the table `series`. A label that a series lacks is `''` there too, which is Prometheus' own rule. */
export function seriesCondition(
  matchers: readonly Matcher[],
  scope: Scope,
  range?: { fromMs: number; toMs: number },
): Sql {
  const conditions = [...matchers.map(matcherCondition), scopeCondition(scope)];
  if (range) {
    conditions.push(sql`last_ts >= ${milliseconds(range.fromMs)}`, sql`first_ts <= ${milliseconds(range.toMs)}`);
  }
  return joinSql(conditions, ' AND ', sql`1`);
}

/** A time as the table's columns hold it; any whole number of milliseconds, negative ones too. */
export function milliseconds(ms: number): Sql {
  return sql`fromUnixTimestamp64Milli(${bind('Int64', Math.trunc(ms))})`;
}

function matcherCondition({ name, op, value }: Matcher): Sql {
  const column = labelColumn(name);
  if (op === '=') return sql`${column} = ${text(value)}`;
  if (op === '!=') return sql`${column} != ${text(value)}`;
  const literals = literalsOf(value);
  const matches = literals
    ? sql`${column} IN ${bind('Array(String)', literals)}`
    : sql`match(${column}, ${text(`^(?s:${value})$`)})`;
  return op === '=~' ? matches : sql`NOT ${matches}`;
}

function labelColumn(name: string): Sql {
  if (name === METRIC_NAME) return sql`metric`;
  // A series' cluster label, where it has one, is also the cluster it is stored under.
  if (name === 'cluster') return sql`cluster`;
  return sql`labels[${text(name)}]`;
}

function scopeCondition(scope: Scope): Sql {
  if (scope.kind === 'everything') return sql`1`;
  const allowed = scope.clusters.map(({ name, namespaces }) => {
    if (!namespaces) return sql`cluster = ${text(name)}`;
    return sql`(cluster = ${text(name)} AND labels['namespace'] != '' AND labels['namespace'] IN ${bind('Array(String)', namespaces)})`;
  });
  return sql`(${joinSql(allowed, ' OR ', sql`0`)})`;
}
