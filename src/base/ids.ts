const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A random id of 80 bits behind a prefix that says what it names: `inv_7zq…`. Not a secret. */
export function newId(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `${prefix}_${Array.from(bytes, (b) => ALPHABET[b & 31]).join('')}`;
}
