const REMEMBERED_KEYS = 20_000;
const LONGEST_REMEMBERED = 200;

/** What a key means is asked once; keys come from outside, so the memory of them is bounded, and long ones are asked each time. */
export function rememberKeys<T>(judge: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const verdict = known.get(key);
    if (verdict !== undefined || known.has(key)) return verdict as T; // set below with a T
    const judged = judge(key);
    if (key.length > LONGEST_REMEMBERED) return judged;
    if (known.size >= REMEMBERED_KEYS) known.clear();
    known.set(ownCopy(key), judged);
    return judged;
  };
}

/** A key may be a part of a long line, which the engine would keep in memory as long as the part. */
function ownCopy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
