/** Values that stand for "there is one" or "there is none" and tell nothing. */
export function isNoSecret(value: string): boolean {
  return /^(?:null|none|nil|true|false|undefined|filtered|redacted|masked|hidden|\*+|x{3,}|<[^>]*>|\$[{(]?\w+[)}]?|\d{1,3})$/i.test(
    value,
  );
}
