import type { TelemetryResponse } from '../../../api/contract/index.ts';
import { protocolWords } from '../../../model/index.ts';
import type { State } from '../state.ts';

export type Source = TelemetryResponse['sources'][number];

const LOOKS = {
  refused: { state: 'critical', word: 'refused', rank: 0 },
  silent: { state: 'warning', word: 'silent', rank: 1 },
  lagging: { state: 'warning', word: 'late', rank: 2 },
  connected: { state: 'ok', word: 'delivers', rank: 3 },
  left: { state: 'idle', word: 'left', rank: 4 },
} as const satisfies Record<string, { state: State; word: string; rank: number }>;

/** The state of a source as mark and word, and its place in the order in which sources need attention. */
export function lookOf(source: Source): { state: State; word: string; rank: number } {
  return LOOKS[hasLeft(source) ? 'left' : source.state];
}

/** Whoever came a few times and has no rhythm is a visitor, whose silence says nothing. */
export function hasLeft({ state, usualPauseSeconds }: Source): boolean {
  return (state === 'silent' || state === 'lagging') && usualPauseSeconds === null;
}

/** Those that need attention, worst and longest first. */
export function troubledSources(sources: readonly Source[]): Source[] {
  const seen = (source: Source) => (source.lastSeen === null ? 0 : Date.parse(source.lastSeen));
  return sources
    .filter((source) => source.state !== 'connected' && !hasLeft(source))
    .sort((a, b) => lookOf(a).rank - lookOf(b).rank || seen(a) - seen(b));
}

/** `OTLP 10.0.0.7 (python)`, without the name where a protocol has none. */
export function sourceName({ kind, name }: Source): string {
  return [protocolWords(kind), name].filter(Boolean).join(' ');
}

/** Names a source in an address. */
export function sourceKey({ kind, cluster, name }: Source): string {
  return `${kind} ${cluster} ${name}`;
}
