/**
 * What the newest schema looks like to those who write SQL against it: every table with its columns, their exact
 * ClickHouse types and meaning. The DDL itself lives in `migrations/`; a test compares the two.
 */

export type TableName =
  | 'series'
  | 'samples'
  | 'samples_late'
  | 'histograms'
  | 'exemplars'
  | 'series_starts'
  | 'metric_metadata'
  | 'logs'
  | 'spans'
  | 'trace_times'
  | 'object_versions';

/** The database of the embedded engine that holds them. */
export const DATABASE = 'trifocal';

export interface TableColumn {
  type: string;
  meaning: string;
}

export type TableColumns = Readonly<Record<string, TableColumn>>;

const TEXT = 'LowCardinality(String)';
const ATTRIBUTES = 'Map(LowCardinality(String), String)';
const TYPES = 'Map(LowCardinality(String), LowCardinality(String))';

const place: TableColumns = {
  cluster: { type: TEXT, meaning: 'cluster, `unknown` when nobody said' },
  namespace: { type: TEXT, meaning: 'Kubernetes namespace or empty' },
  workload: { type: TEXT, meaning: 'top controller or empty' },
  pod: { type: TEXT, meaning: 'pod or empty' },
  container: { type: TEXT, meaning: 'container or empty' },
  node: { type: TEXT, meaning: 'node or empty' },
  service: { type: TEXT, meaning: 'service.name or empty' },
};

const attributes: TableColumns = {
  resource: { type: ATTRIBUTES, meaning: 'resource attributes (Loki: stream labels) as text' },
  resource_types: { type: TYPES, meaning: 'for those that are not strings: int double bool bytes array map null' },
  attributes: { type: ATTRIBUTES, meaning: 'attributes of the record as text' },
  attribute_types: { type: TYPES, meaning: 'for those that are not strings: int double bool bytes array map null' },
  scope_name: { type: TEXT, meaning: 'instrumentation scope' },
  scope_version: { type: TEXT, meaning: 'its version' },
  scope_attributes: { type: ATTRIBUTES, meaning: 'its attributes as text' },
  schema_url: { type: TEXT, meaning: 'of the conventions that names follow' },
};

const buckets = (side: string): TableColumns => ({
  [`${side}_offsets`]: {
    type: 'Array(Int32)',
    meaning: 'runs of buckets: index of the first, later gaps after the run before',
  },
  [`${side}_lengths`]: { type: 'Array(UInt32)', meaning: 'buckets of each run' },
  [`${side}_counts`]: { type: 'Array(Float64)', meaning: 'observations by bucket, not cumulative' },
});

/** Columns as stored. `resource_items` and `attribute_items` of logs and spans are aliases: `key=value` texts with an index. */
export const tables: Readonly<Record<TableName, TableColumns>> = {
  series: {
    metric: { type: TEXT, meaning: 'value of __name__, empty when there is none' },
    cluster: { type: TEXT, meaning: 'cluster it is stored under' },
    metric_id: { type: 'UInt32', meaning: 'hash of the metric; leads the key of samples' },
    series_id: { type: 'UInt64', meaning: 'hash of cluster and all labels' },
    labels: {
      type: 'SimpleAggregateFunction(any, Map(String, String))',
      meaning: 'labels without __name__; has `cluster` only if the sender or the configuration set it',
    },
    first_ts: {
      type: "SimpleAggregateFunction(min, DateTime64(3, 'UTC'))",
      meaning: 'no sample of the row is earlier',
    },
    last_ts: { type: "SimpleAggregateFunction(max, DateTime64(3, 'UTC'))", meaning: 'no sample of the row is later' },
  },
  samples: {
    metric_id: { type: 'UInt32', meaning: 'as in series' },
    series_id: { type: 'UInt64', meaning: 'as in series' },
    ts: { type: "DateTime64(3, 'UTC')", meaning: 'time of the sample; may be zero or negative' },
    value: { type: 'Float64', meaning: 'exact bits, stale markers included' },
  },
  samples_late: {
    metric_id: { type: 'UInt32', meaning: 'as in samples, as all of its columns' },
    series_id: { type: 'UInt64', meaning: 'nothing stays here: queries need not look' },
    ts: { type: "DateTime64(3, 'UTC')", meaning: 'not later than another sample of the series that came before' },
    value: { type: 'Float64', meaning: 'dropped if the series has a sample of this time already' },
  },
  histograms: {
    metric_id: { type: 'UInt32', meaning: 'as in series' },
    series_id: { type: 'UInt64', meaning: 'as in series' },
    ts: { type: "DateTime64(3, 'UTC')", meaning: 'time of the sample; may be zero or negative' },
    schema: { type: 'Int8', meaning: '-4 to 8: buckets grow by 2^(2^-schema); -53: bounds in custom_bounds' },
    integer: { type: 'Bool', meaning: 'counts came as integers' },
    reset_hint: { type: 'UInt8', meaning: 'counter reset before this sample: 0 unknown, 1 yes, 2 no, 3 it is a gauge' },
    stale: { type: 'Bool', meaning: 'the series ended; all that follows is empty' },
    count: { type: 'Float64', meaning: 'observations' },
    sum: { type: 'Float64', meaning: 'their sum' },
    zero_threshold: { type: 'Float64', meaning: 'half width of the zero bucket' },
    zero_count: { type: 'Float64', meaning: 'observations in it' },
    ...buckets('positive'),
    ...buckets('negative'),
    custom_bounds: { type: 'Array(Float64)', meaning: 'upper bounds without +Inf when schema is -53' },
  },
  exemplars: {
    metric_id: { type: 'UInt32', meaning: 'as in series' },
    series_id: { type: 'UInt64', meaning: 'as in series' },
    ts: { type: "DateTime64(3, 'UTC')", meaning: 'time of the measured event' },
    value: { type: 'Float64', meaning: 'its value' },
    labels: { type: 'Map(String, String)', meaning: 'trace_id, span_id and whatever else came with it' },
  },
  series_starts: {
    metric_id: { type: 'UInt32', meaning: 'as in series' },
    series_id: { type: 'UInt64', meaning: 'as in series' },
    start: { type: "DateTime64(3, 'UTC')", meaning: 'when the counting began' },
    ts: { type: "DateTime64(3, 'UTC')", meaning: 'a sample that said so; a row once a day and with each change' },
  },
  metric_metadata: {
    family: { type: 'String', meaning: 'metric family' },
    type: { type: TEXT, meaning: 'counter gauge histogram summary info stateset unknown' },
    help: { type: 'String', meaning: 'help text' },
    unit: { type: TEXT, meaning: 'unit or empty' },
    seen: { type: "DateTime64(3, 'UTC')", meaning: 'when this form was last seen, about to the hour' },
  },
  logs: {
    time: { type: "DateTime64(9, 'UTC')", meaning: 'time of the line' },
    observed: { type: "DateTime64(9, 'UTC')", meaning: 'when a collector saw it' },
    ...place,
    severity: { type: 'UInt8', meaning: 'OTLP severity number, 0 unknown' },
    severity_text: { type: TEXT, meaning: 'severity as sent' },
    body: { type: 'String', meaning: 'the line' },
    trace_id: { type: 'FixedString(16)', meaning: 'binary, zeros when there is none' },
    span_id: { type: 'FixedString(8)', meaning: 'binary, zeros when there is none' },
    flags: { type: 'UInt32', meaning: 'OTLP flags' },
    stream_id: { type: 'UInt64', meaning: 'hash of cluster and resource; with time and body the identity of a line' },
    ...attributes,
  },
  spans: {
    start: { type: "DateTime64(9, 'UTC')", meaning: 'start' },
    duration_ns: { type: 'Int64', meaning: 'end minus start in nanoseconds; negative with a broken clock' },
    ...place,
    name: { type: TEXT, meaning: 'operation' },
    kind: { type: TEXT, meaning: 'unspecified internal server client producer consumer' },
    status: { type: TEXT, meaning: 'unset ok error' },
    status_message: { type: 'String', meaning: 'text of the status' },
    trace_id: { type: 'FixedString(16)', meaning: 'binary' },
    span_id: { type: 'FixedString(8)', meaning: 'binary' },
    parent_span_id: { type: 'FixedString(8)', meaning: 'binary, zeros for a root' },
    ...attributes,
    event_times: { type: "Array(DateTime64(9, 'UTC'))", meaning: 'events, in parallel arrays' },
    event_names: { type: 'Array(LowCardinality(String))', meaning: '' },
    event_attributes: { type: `Array(${ATTRIBUTES})`, meaning: '' },
    event_attribute_types: { type: `Array(${TYPES})`, meaning: 'as attribute_types; empty in rows from before' },
    link_trace_ids: { type: 'Array(FixedString(16))', meaning: 'links, in parallel arrays' },
    link_span_ids: { type: 'Array(FixedString(8))', meaning: '' },
    link_attributes: { type: `Array(${ATTRIBUTES})`, meaning: '' },
    link_attribute_types: { type: `Array(${TYPES})`, meaning: 'as attribute_types; empty in rows from before' },
    link_trace_states: { type: 'Array(String)', meaning: 'W3C trace states; empty in rows from before' },
    link_flags: { type: 'Array(UInt32)', meaning: 'OTLP flags; empty in rows from before' },
    trace_state: { type: 'String', meaning: 'W3C trace state' },
    flags: { type: 'UInt32', meaning: 'OTLP flags' },
  },
  trace_times: {
    trace_id: { type: 'FixedString(16)', meaning: 'binary' },
    first: { type: "SimpleAggregateFunction(min, DateTime64(9, 'UTC'))", meaning: 'earliest start of its spans' },
    last: { type: "SimpleAggregateFunction(max, DateTime64(9, 'UTC'))", meaning: 'latest start of its spans' },
  },
  object_versions: {
    cluster: { type: TEXT, meaning: 'cluster' },
    kind: { type: TEXT, meaning: 'Kubernetes kind, e.g. Pod' },
    api_version: { type: TEXT, meaning: 'e.g. apps/v1' },
    namespace: { type: TEXT, meaning: 'namespace or empty' },
    name: { type: 'String', meaning: 'name' },
    uid: { type: 'String', meaning: 'uid' },
    resource_version: { type: 'String', meaning: 'as the API server gave it' },
    valid_from: { type: "DateTime64(3, 'UTC')", meaning: 'this version holds from here on' },
    deleted: { type: 'Bool', meaning: 'the object ended at valid_from; body is its last form' },
    body: { type: 'String', meaning: 'normalised object as JSON' },
  },
};

export function isTableName(name: string): name is TableName {
  return Object.hasOwn(tables, name);
}

export function columnNames(table: TableName): string[] {
  return Object.keys(tables[table]);
}

/** The columns of a segment file as the `file` table function wants them. */
export function insertStructure(table: TableName): string {
  return Object.entries(tables[table])
    .map(([name, column]) => `${name} ${storedType(column.type)}`)
    .join(', ');
}

/** The type of the values themselves, without the function that merges them. */
function storedType(type: string): string {
  return /^SimpleAggregateFunction\(\w+, (.*)\)$/.exec(type)?.[1] ?? type;
}
