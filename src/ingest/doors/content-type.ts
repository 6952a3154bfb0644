export interface ContentType {
  /** Lower case, without parameters. */
  type: string;
  parameters: ReadonlyMap<string, string>;
}

export function parseContentType(header: string | undefined): ContentType {
  const [type = '', ...rest] = (header ?? '').split(';');
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const [name = '', value = ''] = part.split('=', 2);
    parameters.set(name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1'));
  }
  return { type: type.trim().toLowerCase(), parameters };
}
