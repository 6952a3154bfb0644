/** What receivers share: bounded bodies, protobuf and JSON without loss, columns of samples, answers to failures. */

export { DecodeError, inside, RefusedRequest } from '../../errors.ts';
export { decompress, withUnsnappied } from './body.ts';
export { type BytesCache, createBytesCache } from './bytes-cache.ts';
export { escapeInvalidUtf8 } from './invalid-utf8.ts';
export {
  asObject,
  eachObject,
  type Json,
  type JsonObject,
  kindOf,
  objectField,
  parseJson,
  textField,
  withoutBom,
} from './json.ts';
export { type JsonPart, type JsonText, openJson, readJson } from './json-text.ts';
export { decodeText, isValidUtf8, ProtoReader, ProtoWriter } from './protobuf.ts';
export { SampleBuilder } from './sample-builder.ts';
export { createSeriesCache, type SeriesCache } from './series-cache.ts';
