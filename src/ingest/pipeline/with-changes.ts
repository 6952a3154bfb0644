/** What is not changed stays the same object, so that callers can tell and nothing is copied for nothing. */
export function withChanges<T extends object>(original: T, parts: Partial<T>): T {
  for (const key of Object.keys(parts) as (keyof T)[]) {
    // the keys are those of Partial<T>
    if (parts[key] !== original[key]) return { ...original, ...parts };
  }
  return original;
}

export function mapChanged<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let changed: T[] | undefined;
  items.forEach((item, i) => {
    const next = change(item);
    if (next === item) return;
    changed ??= [...items];
    changed[i] = next;
  });
  return changed ?? items;
}
