import { type Clock, systemClock } from '../../base/index.ts';
import type {
  Attributes,
  AttributeValue,
  InstrumentationScope,
  LabelSet,
  LogRecord,
  MetricMetadata,
  ObjectVersion,
  Span,
} from '../../model/index.ts';
import type { RedactionMatch } from './explain.ts';
import { isMessageEvent, isMessagePart } from './prompt-keys.ts';
import { createAttributeRedaction } from './redact-attributes.ts';
import { redactObjectBody } from './redact-object.ts';
import { createTextRedaction, defaultRedaction, type RedactionOptions, type RuleState } from './redact-text.ts';
import type { RuleName } from './redaction-rules.ts';
import { mapChanged, withChanges } from './with-changes.ts';

export type { RedactionOptions, RuleState } from './redact-text.ts';

/**
 * Replaces secrets by `[redacted:<rule>]`. Each function returns its argument itself when there is nothing to hide,
 * so that callers can tell and nothing is copied for nothing.
 */
export interface Redactor {
  text(text: string): string;
  attributes(attributes: Attributes): Attributes;
  labels(labels: LabelSet): LabelSet;
  log(record: LogRecord): LogRecord;
  span(span: Span): Span;
  object(object: ObjectVersion): ObjectVersion;
  metadata(metadata: MetricMetadata): MetricMetadata;
  rules(): RuleState[];
  /** What `text` would give, and where it would hide what. Counts nothing. */
  explain(text: string): { text: string; matches: RedactionMatch[] };
}

export function createRedactor(
  options: Partial<RedactionOptions> = {},
  clock: Pick<Clock, 'now'> = systemClock,
): Redactor {
  const texts = createTextRedaction({ ...defaultRedaction, ...options }, clock);
  const { text, mark } = texts;
  const { attributes, resource, labels } = createAttributeRedaction(texts);

  /** Collectors send Kubernetes objects as log lines, too. */
  const body = (input: string): string =>
    input.includes('"apiVersion"') && /^\s*\{/.test(input) ? redactObjectBody(input, texts) : text(input);
  const scopes = new WeakMap<InstrumentationScope, InstrumentationScope>();
  const scope = (input: InstrumentationScope): InstrumentationScope => {
    let clean = scopes.get(input);
    if (clean === undefined) {
      clean = withChanges(input, {
        name: text(input.name),
        version: text(input.version),
        ...(input.attributes === undefined ? {} : { attributes: attributes(input.attributes) }),
        ...(input.schemaUrl === undefined ? {} : { schemaUrl: text(input.schemaUrl) }),
      });
      scopes.set(input, clean);
    }
    return clean;
  };

  return {
    text,
    attributes,
    labels,
    log: (record) => {
      const isMessage = texts.isOn('prompt') && isModelMessage(record);
      return withChanges(record, {
        body: isMessage && record.body !== '' ? mark('prompt') : body(record.body),
        severityText: text(record.severityText),
        resource: resource(record.resource),
        attributes: attributes(isMessage ? withoutMessage(record.attributes, mark) : record.attributes),
        scope: scope(record.scope),
      });
    },
    span: (span) =>
      withChanges(span, {
        name: text(span.name),
        statusMessage: text(span.statusMessage),
        traceState: text(span.traceState),
        resource: resource(span.resource),
        attributes: attributes(span.attributes),
        scope: scope(span.scope),
        events: mapChanged(span.events, (event) =>
          withChanges(event, {
            name: text(event.name),
            attributes: attributes(
              texts.isOn('prompt') && isMessageEvent(event.name)
                ? withoutMessage(event.attributes, mark)
                : event.attributes,
            ),
          }),
        ),
        links: mapChanged(span.links, (link) =>
          withChanges(link, {
            attributes: attributes(link.attributes),
            ...(link.traceState === undefined ? {} : { traceState: text(link.traceState) }),
          }),
        ),
      }),
    object: (object) => withChanges(object, { body: redactObjectBody(object.body, texts) }),
    metadata: (metadata) =>
      withChanges(metadata, { family: text(metadata.family), help: text(metadata.help), unit: text(metadata.unit) }),
    rules: texts.rules,
    explain: texts.explain,
  };
}

let ownWords = createRedactor();

/** Hides secrets in text that Trifocal is about to write itself: log lines, error texts, notes. */
export function redactText(text: string): string {
  return ownWords.text(text);
}

/** From now on `redactText` of this thread keeps to these rules; until then to the built-in ones. */
export function configureRedactText(options: Partial<RedactionOptions>): void {
  ownWords = createRedactor(options);
}

/** OpenTelemetry's log events that carry what was said to a model or by it. */
function isModelMessage({ attributes }: LogRecord): boolean {
  if (attributes.size === 0) return false;
  const name = attributes.get('event.name') ?? attributes.get('event_name');
  return typeof name === 'string' && isMessageEvent(name);
}

/** The attributes of such an event without the message. */
function withoutMessage(attributes: Attributes, mark: (rule: RuleName) => string): Attributes {
  let masked: Map<string, AttributeValue> | undefined;
  for (const [key, value] of attributes) {
    if (value === '' || value === null || !isMessagePart(key)) continue;
    masked ??= new Map(attributes);
    masked.set(key, mark('prompt'));
  }
  return masked ?? attributes;
}
