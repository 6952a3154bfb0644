/**
 * Splits a name so that its middle gives way when space is short: the tail, which tells siblings apart, always stays.
 * The tail begins after a separator where there is one.
 */
export function splitForMiddleCut(name: string): { head: string; tail: string } {
  if (name.length <= 14) return { head: '', tail: name };
  const at = Math.max(name.lastIndexOf('-', name.length - 4), name.lastIndexOf('/', name.length - 2));
  const wanted = at > 0 && name.length - at <= 12 ? at : name.length - 8;
  return { head: name.slice(0, wanted), tail: name.slice(wanted) };
}

export interface NameParts {
  prefix: string;
  own: string;
  suffix: string;
}

/** What all names share at both ends, and what each has of its own; cut at separators only, so that words stay whole. */
export function distinctParts(names: readonly string[]): NameParts[] {
  if (names.length < 2) return names.map((own) => ({ prefix: '', own, suffix: '' }));
  const prefix = toSeparator(names.reduce(sharedPrefix));
  const rests = names.map((name) => name.slice(prefix.length));
  const shared = rests.map(reversed).reduce(sharedPrefix);
  const suffix = reversed(toSeparator(shared));
  const usable = rests.every((rest) => rest.length > suffix.length) ? suffix : '';
  return rests.map((rest) => ({ prefix, own: rest.slice(0, rest.length - usable.length), suffix: usable }));
}

/** `GPU-5f2c…` as people call it: the first group of its UUID. */
export function shortGpuName(name: string): string {
  return /^(GPU|MIG)-[0-9a-f]{8}-/.test(name) ? name.slice(0, 12) : name;
}

/** `1 replica`, `3 replicas`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** With a capital letter at its beginning, as sentences have it. */
export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  if (items.length < 2) return items[0] ?? '';
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

function sharedPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

function toSeparator(text: string): string {
  return /^.*[-_./: ]/.exec(text)?.[0] ?? '';
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}
