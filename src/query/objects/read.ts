import type { ObjectVersion } from '../../model/index.ts';
import { type ClickHousePort, type QueryLimits, type Statement, selectRows } from '../../store/index.ts';
import { all, during, equals, moment, oneOf, scopeCondition } from '../conditions.ts';
import { bind, sql, statement } from '../sql/index.ts';
import { type Row, readInteger, readText } from '../stored-attributes.ts';
import type { ObjectHead, ObjectHistory, ObjectRead, ObjectReader, ObjectsAt } from './contract.ts';

/** Of one statement, unless the configuration says otherwise. */
const LIMITS: QueryLimits = { seconds: 20, memoryBytes: 256 * 1024 ** 2 };
/** Parameters travel in the address of a request, which servers bound. */
const HEADS_AT_ONCE = 500;
const MOST_VERSIONS = 20_000;

/** Of versions with the same time the one with the higher resource version is the later, and an end comes last. */
const NEWEST_FIRST = sql`valid_from DESC, toUInt64OrZero(resource_version) DESC, deleted DESC`;
const HEAD = sql`cluster, kind, namespace, name, uid, resource_version, valid_from`;
const WHOLE = sql`${HEAD}, api_version, deleted, body`;

export function createObjectReader(port: ClickHousePort, limits: QueryLimits = LIMITS): ObjectReader {
  const select = (query: Statement, { signal }: ObjectRead) =>
    selectRows(port, query, { limits, ...(signal ? { signal } : {}) });
  return {
    headsAt: async (query, read) => (await select(headsStatement(query, read), read)).map(toHead),
    async bodiesOf(heads, read) {
      const versions: ObjectVersion[] = [];
      for (let i = 0; i < heads.length; i += HEADS_AT_ONCE) {
        const rows = await select(bodiesStatement(heads.slice(i, i + HEADS_AT_ONCE), read), read);
        versions.push(...rows.map(toVersion));
      }
      return versions;
    },
    history: async (query, read) => (await select(historyStatement(query, read), read)).map(toVersion),
  };
}

function headsStatement({ atMs, cluster, kinds }: ObjectsAt, { scope }: ObjectRead): Statement {
  const where = all([
    sql`valid_from <= ${moment(atMs)}`,
    scopeCondition(scope),
    ...equals(sql`cluster`, cluster),
    ...(kinds === undefined ? [sql`kind != 'Event'`] : oneOf(sql`kind`, kinds)),
  ]);
  return statement(sql`SELECT ${HEAD} FROM (
  SELECT ${HEAD}, deleted FROM object_versions WHERE ${where}
  ORDER BY ${NEWEST_FIRST} LIMIT 1 BY cluster, kind, uid
) WHERE NOT deleted ORDER BY cluster, kind, namespace, name, uid`);
}

function bodiesStatement(heads: readonly ObjectHead[], { scope }: ObjectRead): Statement {
  const distinct = (part: (head: ObjectHead) => string) => bind('Array(String)', [...new Set(heads.map(part))]);
  const uids = bind(
    'Array(String)',
    heads.map((head) => head.uid),
  );
  const times = bind(
    'Array(Int64)',
    heads.map((head) => BigInt(head.validFromMs)),
  );
  // The first line is there for the primary key: the pairs alone would read everything.
  return statement(sql`SELECT ${WHOLE} FROM object_versions
WHERE cluster IN ${distinct((head) => head.cluster)} AND kind IN ${distinct((head) => head.kind)} AND name IN ${distinct((head) => head.name)}
  AND ${scopeCondition(scope)}
  AND (uid, toUnixTimestamp64Milli(valid_from)) IN (SELECT pair.1, pair.2 FROM (SELECT arrayJoin(arrayZip(${uids}, ${times})) AS pair))
LIMIT 1 BY cluster, kind, uid, valid_from, resource_version, deleted`);
}

function historyStatement(query: ObjectHistory, { scope }: ObjectRead): Statement {
  const { range, cluster, namespace, kinds, uids, names, limit = MOST_VERSIONS } = query;
  const where = all([
    scopeCondition(scope),
    ...equals(sql`cluster`, cluster),
    ...equals(sql`namespace`, namespace),
    ...oneOf(sql`kind`, kinds),
    ...oneOf(sql`uid`, uids),
    ...oneOf(sql`name`, names),
  ]);
  return statement(sql`WITH recent AS (
  SELECT ${WHOLE} FROM object_versions WHERE ${during(sql`valid_from`, range)} AND ${where}
  ORDER BY ${NEWEST_FIRST} LIMIT 1 BY cluster, kind, uid, valid_from, resource_version, deleted LIMIT ${limit}
)
SELECT ${WHOLE} FROM (
  SELECT ${WHOLE} FROM recent
  UNION ALL
  SELECT ${WHOLE} FROM object_versions
  WHERE valid_from < ${moment(range.from)} AND ${where} AND uid IN (SELECT uid FROM recent)
  ORDER BY ${NEWEST_FIRST} LIMIT 1 BY cluster, kind, uid
) ORDER BY cluster, kind, uid, valid_from, toUInt64OrZero(resource_version), deleted`);
}

function toHead(row: Row): ObjectHead {
  return {
    cluster: readText(row.cluster),
    kind: readText(row.kind),
    namespace: readText(row.namespace),
    name: readText(row.name),
    uid: readText(row.uid),
    resourceVersion: readText(row.resource_version),
    validFromMs: Number(readInteger(row.valid_from)),
  };
}

function toVersion(row: Row): ObjectVersion {
  return {
    ...toHead(row),
    apiVersion: readText(row.api_version),
    deleted: Boolean(row.deleted),
    body: readText(row.body),
  };
}
