/** Reading of JSON whose shape is not known: what is not there, or is something else, reads as nothing. */
export type Json = Record<string, unknown>;

export function at(from: Json, ...path: string[]): unknown {
  let value: unknown = from;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'object' ? brief(value) : String(value);
}

export function optional(value: unknown): string | undefined {
  return value === undefined ? undefined : text(value);
}

export function pairs(value: unknown): string {
  return Object.entries(object(value))
    .map(([key, item]) => `${key}=${text(item)}`)
    .sort()
    .join(',');
}

export function brief(value: unknown): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

/** Dotted paths of the smallest parts that differ. */
export function differingPaths(a: unknown, b: unknown, prefix = ''): string[] {
  if (same(a, b)) return [];
  if (!isObject(a) || !isObject(b)) return [prefix];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .sort()
    .flatMap((key) => differingPaths(a[key], b[key], prefix ? `${prefix}.${key}` : key));
}

export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}
