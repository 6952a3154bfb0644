/** SQL as a tagged template: text and bound values stay apart until the port, so nothing a user typed becomes SQL. */

export { type Bound, bind, joinSql, type Sql, sql, statement, text } from './template.ts';
