/**
 * Go's `Expand`: `$1`, `${1}`, `$name`, `${name}` and `$$`. A bare name is as long as it can be, so `$1_x` is the
 * group `1_x`. Unknown groups are empty; a `$` that names nothing stays.
 */
export function expandTemplate(
  template: string,
  groups: { numbered: readonly string[]; named: ReadonlyMap<string, string> },
): string {
  return template.replace(/\$(?:(\$)|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu, (_, dollar, braced, bare) => {
    if (dollar) return '$';
    const name: string = braced ?? bare;
    return /^\d+$/.test(name) ? (groups.numbered[Number(name)] ?? '') : (groups.named.get(name) ?? '');
  });
}
