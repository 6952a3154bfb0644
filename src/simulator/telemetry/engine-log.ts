import type { Timeline } from '../core/timeline.ts';
import type { Replica } from '../serving/router.ts';
import type { SignalBuffer } from './signals.ts';

/** Writes vLLM's statistics line of every engine each 10 s, as its logger does (signals.md 13.6). */
export function startEngineLog(timeline: Timeline, signals: SignalBuffer, replicas: readonly Replica[]): void {
  for (const replica of replicas) {
    let prompt = 0;
    let generated = 0;
    const write = () => {
      const { metrics, running, queued, kvUsage } = replica.engine;
      const hitRate = metrics.prefixQueries > 0 ? (100 * metrics.prefixHits) / metrics.prefixQueries : 0;
      const text =
        `Engine 000: Avg prompt throughput: ${((metrics.promptTokens - prompt) / 10).toFixed(1)} tokens/s, ` +
        `Avg generation throughput: ${((metrics.generationTokens - generated) / 10).toFixed(1)} tokens/s, ` +
        `Running: ${running} reqs, Waiting: ${queued} reqs, GPU KV cache usage: ${(kvUsage * 100).toFixed(1)}%, ` +
        `Prefix cache hit rate: ${hitRate.toFixed(1)}%`;
      prompt = metrics.promptTokens;
      generated = metrics.generationTokens;
      const stamp = new Date(timeline.now).toISOString().slice(5, 19).replace('T', ' ');
      signals.line({
        source: replica.pod.source,
        timeMs: timeline.now,
        level: 'info',
        line: `(APIServer pid=1) INFO ${stamp} [loggers.py:127] ${text}`,
      });
      timeline.at(timeline.now + 10_000, write);
    };
    timeline.at(timeline.now + (hashOf(replica.pod.source.podUid) % 10_000), write);
  }
}

/** Engines do not write in step; their offset follows from who they are. */
function hashOf(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i++) value = (Math.imul(value, 31) + text.charCodeAt(i)) >>> 0;
  return value;
}
