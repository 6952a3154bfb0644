import {
  type Attributes,
  type AttributeValue,
  attributeText,
  type InstrumentationScope,
  noAttributes,
  type Place,
} from '../../model/index.ts';
import { type ColumnBuilder, LowCardinalityColumn, MapColumn, TextColumn } from '../clickhouse/native/encode.ts';
import { TextHash } from './hash.ts';

/** Attributes in two columns: all values as text, and the types of those that are not strings. */
export class AttributeColumns {
  readonly texts = new MapColumn(new LowCardinalityColumn(), new TextColumn());
  readonly types = new MapColumn(new LowCardinalityColumn(), new LowCardinalityColumn());

  push(attributes: Attributes): void {
    this.texts.push(attributes, (push) => pushTexts(attributes, push));
    this.types.push(attributes, (push) => pushTypes(attributes, push));
  }
}

type Push = (key: string, value: string) => void;

export function pushTexts(attributes: Attributes, push: Push): void {
  for (const [key, value] of attributes) push(key, attributeText(value));
}

export function pushTypes(attributes: Attributes, push: Push): void {
  for (const [key, value] of attributes) if (typeof value !== 'string') push(key, attributeType(value));
}

/** Who made a signal. Scopes are shared by all items of a request, so their attributes are mostly repeated. */
export class ScopeColumns {
  private readonly names = new LowCardinalityColumn();
  private readonly versions = new LowCardinalityColumn();
  private readonly attributes = new MapColumn(new LowCardinalityColumn(), new TextColumn());
  private readonly schemaUrls = new LowCardinalityColumn();

  push({ name, version, attributes = noAttributes, schemaUrl = '' }: InstrumentationScope): void {
    this.names.push(name);
    this.versions.push(version);
    this.attributes.push(attributes, (push) => pushTexts(attributes, push));
    this.schemaUrls.push(schemaUrl);
  }

  all(): Record<string, ColumnBuilder> {
    return {
      scope_name: this.names,
      scope_version: this.versions,
      scope_attributes: this.attributes,
      schema_url: this.schemaUrls,
    };
  }
}

function attributeType(value: AttributeValue): string {
  switch (typeof value) {
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    default:
  }
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return 'bytes';
  return Array.isArray(value) ? 'array' : 'map';
}

/** The columns that say where a signal comes from. */
export class PlaceColumns {
  private readonly columns = {
    cluster: new LowCardinalityColumn(),
    namespace: new LowCardinalityColumn(),
    workload: new LowCardinalityColumn(),
    pod: new LowCardinalityColumn(),
    container: new LowCardinalityColumn(),
    node: new LowCardinalityColumn(),
    service: new LowCardinalityColumn(),
  };

  push(place: Place): void {
    const { columns } = this;
    columns.cluster.push(place.cluster);
    columns.namespace.push(place.namespace);
    columns.workload.push(place.workload);
    columns.pod.push(place.pod);
    columns.container.push(place.container);
    columns.node.push(place.node);
    columns.service.push(place.service);
  }

  all(): Record<string, ColumnBuilder> {
    return this.columns;
  }
}

/** Hashes what a stream of log lines has in common; remembers the last, since lines of one come together. */
export class StreamHash {
  private lastResource: Attributes | undefined;
  private lastCluster = '';
  private last = { low: 0, high: 0 };

  of(cluster: string, resource: Attributes): { low: number; high: number } {
    if (resource === this.lastResource && cluster === this.lastCluster) return this.last;
    const hash = new TextHash();
    hash.add(cluster);
    for (const key of [...resource.keys()].sort()) {
      hash.add(key);
      hash.add(attributeText(resource.get(key) ?? ''));
    }
    this.lastResource = resource;
    this.lastCluster = cluster;
    this.last = hash.finish();
    return this.last;
  }
}
