/**
 * A label's name from a URL: `U__` begins the escaped form of a name that is not plain, where `_2e_` is the character of that
 * code and `__` an underscore. Undefined when the escapes are broken.
 */
export function decodeLabelName(name: string): string | undefined {
  if (!name.startsWith('U__')) return name;
  const escaped = name.slice('U__'.length);
  if (!/^(?:[^_]|__|_[0-9a-fA-F]{1,6}_)*$/.test(escaped)) return name;
  let valid = true;
  const decoded = escaped.replace(/__|_([0-9a-fA-F]{1,6})_/g, (_, code?: string) => {
    if (code === undefined) return '_';
    const point = Number.parseInt(code, 16);
    if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) valid = false;
    return valid ? String.fromCodePoint(point) : '';
  });
  return valid ? decoded : undefined;
}
