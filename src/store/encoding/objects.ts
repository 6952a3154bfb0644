import type { ObjectVersion } from '../../model/index.ts';
import { encodeBlock, LowCardinalityColumn, PlainColumn, TextColumn } from '../clickhouse/native/encode.ts';

export function encodeObjects(objects: readonly ObjectVersion[]): Buffer {
  const cluster = new LowCardinalityColumn();
  const kind = new LowCardinalityColumn();
  const apiVersion = new LowCardinalityColumn();
  const namespace = new LowCardinalityColumn();
  const name = new TextColumn();
  const uid = new TextColumn();
  const resourceVersion = new TextColumn();
  const validFrom = new PlainColumn("DateTime64(3, 'UTC')");
  const deleted = new PlainColumn('Bool');
  const body = new TextColumn();
  for (const object of objects) {
    cluster.push(object.cluster);
    kind.push(object.kind);
    apiVersion.push(object.apiVersion);
    namespace.push(object.namespace);
    name.push(object.name);
    uid.push(object.uid);
    resourceVersion.push(object.resourceVersion);
    validFrom.values.int64(Math.trunc(object.validFromMs));
    deleted.values.byte(object.deleted ? 1 : 0);
    body.push(object.body);
  }
  return encodeBlock(objects.length, {
    cluster,
    kind,
    api_version: apiVersion,
    namespace,
    name,
    uid,
    resource_version: resourceVersion,
    valid_from: validFrom,
    deleted,
    body,
  });
}
