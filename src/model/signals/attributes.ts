/** A value as OTLP knows it. 64-bit integers are bigint, so that none passes through a double. */
export type AttributeValue =
  | string
  | number
  | bigint
  | boolean
  | Uint8Array
  | null
  | readonly AttributeValue[]
  | { readonly kind: 'map'; readonly entries: Attributes };

/** Attributes in the order they came; a map, since names come from outside. */
export type Attributes = ReadonlyMap<string, AttributeValue>;

export const noAttributes: Attributes = new Map();

/** The value as text: strings as they are, bytes in base64, everything nested as JSON. */
export function attributeText(value: AttributeValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  if (value instanceof Uint8Array) return base64(value);
  return JSON.stringify(plain(value));
}

/** A JSON-ready form; what JSON's numbers cannot hold becomes text: large 64-bit integers, NaN and infinities. */
function plain(value: AttributeValue): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Uint8Array) return base64(value);
  if ('kind' in value) return Object.fromEntries([...value.entries].map(([key, item]) => [key, plain(item)]));
  return value.map(plain);
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}
