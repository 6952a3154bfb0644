/** What a function takes and gives. */
export type ValueType = 'scalar' | 'vector' | 'range' | 'string';

export interface Signature {
  args: readonly ValueType[];
  /** How many more (or fewer, down to one less) of the last argument may be given; Infinity for any number. */
  variadic: number;
  returns: 'scalar' | 'vector';
}

/** As Prometheus names the types in messages. */
export const TYPE_NAMES: Readonly<Record<ValueType, string>> = {
  scalar: 'scalar',
  vector: 'instant vector',
  range: 'range vector',
  string: 'string',
};
