/** A ClickHouse type as far as its bytes in Native format matter. */
export type NativeType =
  | { kind: 'number'; name: NumberName }
  | { kind: 'bool' }
  | { kind: 'string' }
  | { kind: 'fixed'; bytes: number }
  | { kind: 'uuid' }
  | { kind: 'nothing' }
  | { kind: 'enum'; bits: 8 | 16; names: ReadonlyMap<number, string> }
  | { kind: 'low-cardinality'; of: NativeType }
  | { kind: 'nullable'; of: NativeType }
  | { kind: 'array'; of: NativeType }
  | { kind: 'map'; key: NativeType; value: NativeType }
  | { kind: 'tuple'; of: readonly NativeType[] };

export type NumberName =
  | 'UInt8' | 'UInt16' | 'UInt32' | 'UInt64' | 'Int8' | 'Int16' | 'Int32' | 'Int64' | 'Float32' | 'Float64'; // biome-ignore format: a list to read

/** Types whose values are stored as a plain number of another type. */
const STORED_AS: Readonly<Record<string, NumberName>> = {
  Date: 'UInt16',
  Date32: 'Int32',
  DateTime: 'UInt32',
  DateTime64: 'Int64',
  Decimal32: 'Int32',
  Decimal64: 'Int64',
  IPv4: 'UInt32',
};

const NUMBERS = new Set<string>([
  'UInt8', 'UInt16', 'UInt32', 'UInt64', 'Int8', 'Int16', 'Int32', 'Int64', 'Float32', 'Float64',
]); // biome-ignore format: a list to read

/** Reads a type's text, e.g. `Map(LowCardinality(String), String)`. Throws on types that the port does not decode. */
export function parseNativeType(text: string): NativeType {
  const open = text.indexOf('(');
  const name = (open < 0 ? text : text.slice(0, open)).trim();
  const args = open < 0 ? [] : splitArguments(text.slice(open + 1, text.lastIndexOf(')')));
  const argument = (index: number) => parseNativeType(args[index] ?? '');
  if (isNumberName(name)) return { kind: 'number', name };
  const stored = name === 'Decimal' ? decimalStorage(Number(args[0])) : STORED_AS[name];
  if (stored) return { kind: 'number', name: stored };
  switch (name) {
    case 'Bool':
      return { kind: 'bool' };
    case 'String':
      return { kind: 'string' };
    case 'FixedString':
      return { kind: 'fixed', bytes: Number(args[0]) };
    case 'UUID':
      return { kind: 'uuid' };
    case 'Nothing':
      return { kind: 'nothing' };
    case 'Enum8':
    case 'Enum16':
      return { kind: 'enum', bits: name === 'Enum8' ? 8 : 16, names: parseEnum(args) };
    case 'LowCardinality':
      return { kind: 'low-cardinality', of: argument(0) };
    case 'Nullable':
      return { kind: 'nullable', of: argument(0) };
    case 'Array':
      return { kind: 'array', of: argument(0) };
    case 'Map':
      return { kind: 'map', key: argument(0), value: argument(1) };
    case 'Tuple':
      return { kind: 'tuple', of: args.map((field) => parseNativeType(withoutFieldName(field))) };
    case 'SimpleAggregateFunction':
      return argument(1);
    default:
      throw new Error(`cannot decode the type ${text}`);
  }
}

function isNumberName(name: string): name is NumberName {
  return NUMBERS.has(name);
}

function decimalStorage(precision: number): NumberName | undefined {
  return precision <= 9 ? 'Int32' : precision <= 18 ? 'Int64' : undefined;
}

/** Splits at commas outside brackets and quotes. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (quote) {
      if (char === '\\') i++;
      else if (char === quote) quote = '';
    } else if (char === "'" || char === '`') quote = char;
    else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  const last = text.slice(start).trim();
  if (last !== '') parts.push(last);
  return parts;
}

/** Named tuples give `name Type`; the name may be quoted with backticks. */
function withoutFieldName(field: string): string {
  return /^(?:`(?:[^`\\]|\\.)*`|[A-Za-z_]\w*)\s+(?=[A-Z])/.test(field)
    ? field.replace(/^(?:`(?:[^`\\]|\\.)*`|\w+)\s+/, '')
    : field;
}

function parseEnum(args: readonly string[]): Map<number, string> {
  const names = new Map<number, string>();
  for (const arg of args) {
    const match = /^'((?:[^'\\]|\\.)*)'\s*=\s*(-?\d+)$/.exec(arg);
    if (match) names.set(Number(match[2]), (match[1] ?? '').replace(/\\(.)/g, '$1'));
  }
  return names;
}
