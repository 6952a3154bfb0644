import type { Attributes, LogRecord } from '../../../model/index.ts';
import { attributeText, formatLabels, labelSet, nowhere } from '../../../model/index.ts';
import { redactText } from '../../pipeline/index.ts';

/** One line of a push, in either encoding. */
export interface Entry {
  timeNs: bigint;
  line: string;
  /** Structured metadata. */
  metadata: Attributes;
}

/** A push as decoded: records in the order they came, and what was wrong with others. */
export interface PushRequest {
  logs: LogRecord[];
  /** Entries or whole streams that are not stored, by their sentence; `count` in lines. */
  refused: Refusal[];
  /** Lines that were not UTF-8: their other bytes are written as `\xNN`. */
  escaped: number;
}

export interface Refusal {
  reason: 'invalid' | 'limit_labels';
  count: number;
  because: string;
}

/** Bounds on labels and structured metadata; more is refused in Loki's words. */
export interface StreamLimits {
  labels: number;
  nameLength: number;
  valueLength: number;
  metadataEntries: number;
  metadataBytes: number;
}

/** Metadata as Loki's defaults; labels as of a series here, since they cost no more (Loki: 15, 1024, 2048). */
export const defaultStreamLimits: StreamLimits = {
  labels: 60,
  nameLength: 1024,
  valueLength: 4096,
  metadataEntries: 128,
  metadataBytes: 64 * 1024,
};

/** A stream of this request: senders that make one of each line repeat its labels, which then are one object. */
export interface Stream {
  labels: Attributes;
  level: string;
  refusal: Omit<Refusal, 'count'> | undefined;
}

const scope = { name: '', version: '' };

export function toRecord(stream: Stream, entry: Entry, observedNs: bigint): LogRecord {
  const { metadata } = entry;
  return {
    timeNs: entry.timeNs,
    observedNs,
    severity: 0,
    severityText: (metadata.size > 0 ? levelOf(metadata) : '') || stream.level,
    body: entry.line,
    resource: stream.labels,
    attributes: metadata,
    scope,
    traceId: '',
    spanId: '',
    flags: 0,
    place: nowhere,
  };
}

/** Where agents put the level that they found; Loki itself writes `detected_level`. */
const LEVELS = ['severity_text', 'detected_level', 'level', 'severity'];

function levelOf(attributes: Attributes): string {
  for (const name of LEVELS) {
    const value = attributes.get(name);
    if (typeof value === 'string' && value !== '' && value !== 'unknown') return value;
  }
  return '';
}

/** `text` is how the sender wrote the labels. */
export function toStream(labels: Attributes, text: () => string, limits: StreamLimits): Stream {
  return { labels, level: levelOf(labels), refusal: judgeLabels(labels, text, limits) };
}

function judgeLabels(labels: Attributes, text: () => string, limits: StreamLimits): Stream['refusal'] {
  if (labels.size === 0) {
    return { reason: 'invalid', because: `error at least one label pair is required per stream: ${text()}` };
  }
  const refuse = (because: string) => ({ reason: 'limit_labels' as const, because });
  if (labels.size > limits.labels) {
    return refuse(`entry for stream '${labelText(labels)}' has ${labels.size} label names; limit ${limits.labels}`);
  }
  for (const [name, value] of labels) {
    if (name.length > limits.nameLength) {
      return refuse(`stream '${labelText(labels)}' has label name too long: '${name.slice(0, 100)}…'`);
    }
    if (attributeText(value).length > limits.valueLength) {
      return refuse(
        `stream '${labelText(labels)}' has label value too long: '${name}' has ${attributeText(value).length} characters`,
      );
    }
  }
  return undefined;
}

/** Why an entry's structured metadata cannot be stored, or undefined. */
export function judgeMetadata({ labels }: Stream, metadata: Attributes, limits: StreamLimits): string | undefined {
  if (metadata.size === 0) return undefined;
  let bytes = 0;
  for (const [name, value] of metadata) bytes += name.length + attributeText(value).length;
  if (bytes > limits.metadataBytes) {
    return `stream '${labelText(labels)}' has structured metadata too large: '${bytes}' bytes, limit: '${limits.metadataBytes}' bytes`;
  }
  if (metadata.size > limits.metadataEntries) {
    return `stream '${labelText(labels)}' has too many structured metadata labels: '${metadata.size}', limit: '${limits.metadataEntries}'`;
  }
  return undefined;
}

function labelText(labels: Attributes): string {
  const pairs = [...labels].map(([name, value]): [string, string] => [name, attributeText(value)]);
  return redactText(formatLabels(labelSet(pairs))).slice(0, 300);
}

/** Adds to what is refused already for the same reason, so that an answer names each mistake's first place and not all. */
export function refuse(request: PushRequest, refusal: Refusal): void {
  const same = request.refused.find(({ reason, because }) => reason === refusal.reason && because === refusal.because);
  if (same !== undefined) same.count += refusal.count;
  else if (request.refused.length < MAX_SENTENCES) request.refused.push(refusal);
  else {
    const last = request.refused.findLast(({ reason }) => reason === refusal.reason);
    if (last === undefined) request.refused.push(refusal);
    else last.count += refusal.count;
  }
}

const MAX_SENTENCES = 20;
