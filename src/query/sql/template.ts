import type { ParamValue, Statement } from '../../store/index.ts';

/** A piece of SQL with its bound values. Made by `sql`, `joinSql`; becomes a Statement by `statement`. */
export interface Sql {
  readonly kind: 'sql';
  /** Text around the values: always one more than there are values. */
  readonly texts: readonly string[];
  readonly values: readonly Bound[];
}

/** A value with the ClickHouse type it is bound as. */
export interface Bound {
  readonly kind: 'bound';
  readonly type: string;
  readonly value: ParamValue;
}

/** Binds a value: `bind('Array(UInt64)', ids)`. The type is the code's own, never a user's text. */
export function bind(type: string, value: ParamValue): Bound {
  return { kind: 'bound', type, value };
}

/** Binds a string, the most common case. */
export function text(value: string): Bound {
  return bind('String', value);
}

/**
 * SQL with `${…}` for pieces of SQL, bound values, and whole numbers of the code itself (for places where ClickHouse
 * takes only literals). There is no way to splice a string.
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly (Sql | Bound | number)[]): Sql {
  const texts = [strings[0] ?? ''];
  const values: Bound[] = [];
  const append = (more: string) => {
    texts[texts.length - 1] += more;
  };
  parts.forEach((part, i) => {
    if (typeof part === 'number') append(literal(part));
    else if (part.kind === 'bound') {
      values.push(part);
      texts.push('');
    } else {
      append(part.texts[0] ?? '');
      values.push(...part.values);
      texts.push(...part.texts.slice(1));
    }
    append(strings[i + 1] ?? '');
  });
  return { kind: 'sql', texts, values };
}

function literal(value: number): string {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number, so it has to be bound`);
  return String(value);
}

/** Pieces with a separator between them; `empty` stands for none at all. */
export function joinSql(pieces: readonly Sql[], separator: ' AND ' | ' OR ' | ', ', empty: Sql): Sql {
  const [first, ...rest] = pieces;
  if (!first) return empty;
  return rest.reduce((joined, piece) => {
    const last = joined.texts.length - 1;
    const texts = [
      ...joined.texts.slice(0, last),
      `${joined.texts[last]}${separator}${piece.texts[0]}`,
      ...piece.texts.slice(1),
    ];
    return { kind: 'sql', texts, values: [...joined.values, ...piece.values] };
  }, first);
}

/** The statement as the port takes it: one parameter per bound value. */
export function statement(piece: Sql): Statement {
  const params: Record<string, ParamValue> = {};
  let result = piece.texts[0] ?? '';
  piece.values.forEach(({ type, value }, i) => {
    params[`p${i}`] = value;
    result += `{p${i}:${type}}${piece.texts[i + 1] ?? ''}`;
  });
  return { text: result, params };
}
