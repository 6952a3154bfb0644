/** The shape of a tracer of the program's own work. `app/tracing` makes a real one when it is asked for. */
export interface Tracer {
  /**
   * Begins a span below the one within whose work this is called. Names and attributes hold nothing that a user or a signal
   * said: no query texts, values or messages. The caller ends it.
   */
  begin(name: string, attributes?: TraceAttributes): TraceSpan;
}

export type TraceAttributes = Readonly<Record<string, string | number | boolean>>;

export interface TraceSpan {
  /** Runs work below this span, with all that it awaits. */
  within<T>(work: () => T): T;
  set(attributes: TraceAttributes): void;
  /** With an error when the work failed: its name is kept, its message is not. */
  end(error?: unknown): void;
}

const silentSpan: TraceSpan = { within: (work) => work(), set() {}, end() {} };
export const silentTracer: Tracer = { begin: () => silentSpan };

/** Runs work in a span of its own. */
export async function traced<T>(
  tracer: Tracer,
  name: string,
  attributes: TraceAttributes,
  work: (span: TraceSpan) => Promise<T>,
): Promise<T> {
  const span = tracer.begin(name, attributes);
  try {
    const result = await span.within(() => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}
