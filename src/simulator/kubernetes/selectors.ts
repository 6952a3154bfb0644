/** Label selectors of lists and watches: `a=b`, `a==b`, `a!=b`, `a`, `!a`, `a in (b,c)`, `a notin (b,c)`, joined by commas. */
export function labelsMatch(selector: string, labels: Readonly<Record<string, string>>): boolean {
  return splitOutsideBrackets(selector).every((requirement) => {
    const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(requirement);
    if (set) {
      const values = (set[3] ?? '').split(',').map((value) => value.trim());
      const held = labels[set[1] ?? ''];
      return set[2] === 'in'
        ? held !== undefined && values.includes(held)
        : held === undefined || !values.includes(held);
    }
    const equality = /^([^!=]+)(==|=|!=)(.*)$/.exec(requirement);
    if (equality) {
      const [, name = '', operator, value = ''] = equality;
      const held = labels[name.trim()];
      return operator === '!=' ? held !== value.trim() : held === value.trim();
    }
    return requirement.startsWith('!') ? !(requirement.slice(1) in labels) : requirement in labels;
  });
}

/** Field selectors by path: `metadata.name=x`, `spec.nodeName!=y`. A path that leads nowhere is an empty value. */
export function fieldsMatch(selector: string, object: object): boolean {
  return selector
    .split(',')
    .filter((part) => part !== '')
    .every((requirement) => {
      const [, path = '', operator, wanted = ''] = /^([^!=]+)(==|=|!=)(.*)$/.exec(requirement) ?? [];
      const held = String(valueAt(object, path.split('.')) ?? '');
      return operator === '!=' ? held !== wanted : held === wanted;
    });
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );
}

function splitOutsideBrackets(selector: string): string[] {
  return selector
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
