/** A Kubernetes object as JSON; only what every object has is typed. */
export interface ApiObject {
  metadata: ApiMetadata;
  [part: string]: unknown;
}

export interface ApiMetadata {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  [part: string]: unknown;
}

/** The object in a list or a watch event, or undefined when it is none: without name or uid nothing can be kept of it. */
export function toApiObject(value: unknown): ApiObject | undefined {
  if (!isRecord(value) || !isRecord(value.metadata)) return undefined;
  const { name, namespace, uid, resourceVersion } = value.metadata;
  if (typeof name !== 'string' || typeof uid !== 'string' || uid === '') return undefined;
  return {
    ...value,
    metadata: {
      ...value.metadata,
      name,
      uid,
      namespace: typeof namespace === 'string' ? namespace : '',
      resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
    },
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
