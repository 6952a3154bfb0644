import { expect, test } from 'vitest';
import { bind, joinSql, sql, statement, text } from './index.ts';

test('values are bound, pieces are put in, whole numbers become literals', () => {
  const where = sql`name = ${text("'; DROP TABLE x")} AND id IN ${bind('Array(UInt64)', [1n, 2n])}`;
  expect(statement(sql`SELECT 1 FROM t WHERE ${where} LIMIT ${10}`)).toEqual({
    text: 'SELECT 1 FROM t WHERE name = {p0:String} AND id IN {p1:Array(UInt64)} LIMIT 10',
    params: { p0: "'; DROP TABLE x", p1: [1n, 2n] },
  });
});

test('pieces are joined with their values in order', () => {
  const pieces = [sql`a = ${text('1')}`, sql`b`, sql`${text('2')} = c`];
  expect(statement(joinSql(pieces, ' AND ', sql`1`))).toEqual({
    text: 'a = {p0:String} AND b AND {p1:String} = c',
    params: { p0: '1', p1: '2' },
  });
  expect(statement(joinSql([], ' OR ', sql`0`)).text).toBe('0');
});

test('a number that is not whole is refused', () => {
  expect(() => sql`LIMIT ${1.5}`).toThrow('has to be bound');
});
