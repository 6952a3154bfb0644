import type { TraceResponse } from '../../../api/contract/index.ts';

type Span = TraceResponse['spans'][number];

export interface SpanRow {
  span: Span;
  depth: number;
  /** Seconds from the begin of the trace. */
  offset: number;
  /** Seconds in which none of its children ran. */
  self: number;
  hasChildren: boolean;
  /** Its parent is named but was not received. */
  isOrphan: boolean;
}

/** Spans in the order of a waterfall: each under its parent, siblings by their start. Parents that are missing or go in circles don't hide anyone. */
export function layOutSpans(spans: readonly Span[]): { rows: SpanRow[]; total: number } {
  if (spans.length === 0) return { rows: [], total: 0 };
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const children = new Map<string, Span[]>();
  const roots: Span[] = [];
  for (const span of spans) {
    if (byId.has(span.parentSpanId) && span.parentSpanId !== span.spanId)
      children.set(span.parentSpanId, [...(children.get(span.parentSpanId) ?? []), span]);
    else roots.push(span);
  }
  const begin = spans.reduce((least, span) => Math.min(least, secondsOf(span.startNs)), Number.POSITIVE_INFINITY);
  const end = spans.reduce((most, span) => Math.max(most, secondsOf(span.startNs) + span.durationSeconds), 0);
  const rows: SpanRow[] = [];
  const seen = new Set<string>();
  const place = (top: Span) => {
    // A stack rather than recursion: traces can be thousands of spans deep.
    const stack: { span: Span; depth: number }[] = [{ span: top, depth: 0 }];
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { span, depth } = next;
      if (seen.has(span.spanId)) continue;
      seen.add(span.spanId);
      const own = [...(children.get(span.spanId) ?? [])].sort(byStart);
      rows.push({
        span,
        depth,
        offset: secondsOf(span.startNs) - begin,
        self: selfTime(span, own),
        hasChildren: own.length > 0,
        isOrphan: span.parentSpanId !== '' && !byId.has(span.parentSpanId),
      });
      for (const child of own.reverse()) stack.push({ span: child, depth: depth + 1 });
    }
  };
  for (const root of roots.sort(byStart)) place(root);
  for (const span of spans) if (!seen.has(span.spanId)) place(span);
  return { rows, total: end - begin };
}

/** The span's time less the union of its children's, as far as they lie within it. */
function selfTime(span: Span, children: readonly Span[]): number {
  const start = secondsOf(span.startNs);
  const end = start + span.durationSeconds;
  let covered = 0;
  let until = start;
  for (const child of children) {
    const from = Math.max(until, secondsOf(child.startNs));
    const to = Math.min(end, secondsOf(child.startNs) + child.durationSeconds);
    if (to <= from) continue;
    covered += to - from;
    until = to;
  }
  return Math.max(0, span.durationSeconds - covered);
}

function byStart(a: Span, b: Span): number {
  return secondsOf(a.startNs) - secondsOf(b.startNs);
}

/** Enough for drawing: a double holds today's time in seconds to a quarter of a microsecond. */
function secondsOf(ns: string): number {
  return Number(BigInt(ns) / 1000n) / 1e6;
}
