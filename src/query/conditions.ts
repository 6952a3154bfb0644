import type { Scope, TimeRange } from '../model/index.ts';
import { bind, joinSql, type Sql, sql, text } from './sql/index.ts';

export const always = sql`1`;
const never = sql`0`;

export function all(conditions: readonly Sql[]): Sql {
  return joinSql(conditions, ' AND ', always);
}

/** What the scope lets through, over the columns `cluster` and `namespace`. A scope with namespaces sees nothing outside any. */
export function scopeCondition(scope: Scope): Sql {
  if (scope.kind === 'everything') return always;
  const allowed = scope.clusters.map(({ name, namespaces }) => {
    const cluster = sql`cluster = ${text(name)}`;
    if (namespaces === undefined) return cluster;
    return sql`(${cluster} AND namespace != '' AND namespace IN ${bind('Array(String)', namespaces)})`;
  });
  return sql`(${joinSql(allowed, ' OR ', never)})`;
}

/** Moments of milliseconds, both ends included whole. */
export function during(column: Sql, range: TimeRange): Sql {
  return sql`${column} >= ${moment(range.from)} AND ${column} < ${moment(range.to + 1)}`;
}

export function moment(ms: number): Sql {
  return sql`fromUnixTimestamp64Milli(${bind('Int64', BigInt(Math.round(ms)))}, 'UTC')`;
}

/** `column = value` where a value is given. */
export function equals(column: Sql, value: string | undefined): Sql[] {
  return value === undefined ? [] : [sql`${column} = ${text(value)}`];
}

export function oneOf(column: Sql, values: readonly string[] | undefined): Sql[] {
  return values === undefined ? [] : [sql`${column} IN ${bind('Array(String)', values)}`];
}

/** Where signals come from: given parts must be equal. */
export interface PlaceFilter {
  cluster: string;
  namespace?: string;
  workload?: string;
  pods?: readonly string[];
  container?: string;
  node?: string;
  service?: string;
}

/** Any of the places; undefined means everywhere, an empty list nowhere. */
export function placesCondition(places: readonly PlaceFilter[] | undefined): Sql {
  if (places === undefined) return always;
  const any = places.map(
    (place) =>
      sql`(${all([
        ...equals(sql`cluster`, place.cluster),
        ...equals(sql`namespace`, place.namespace),
        ...equals(sql`workload`, place.workload),
        ...oneOf(sql`pod`, place.pods),
        ...equals(sql`container`, place.container),
        ...equals(sql`node`, place.node),
        ...equals(sql`service`, place.service),
      ])})`,
  );
  return sql`(${joinSql(any, ' OR ', never)})`;
}
