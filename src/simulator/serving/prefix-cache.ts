import { BLOCK_TOKENS } from './model-profile.ts';

/** Which prefixes a replica still holds in KV blocks that no running request uses; least recently used go first. */
export interface PrefixCache {
  /** Cached tokens of that conversation that a prompt of this length can reuse, in whole blocks. */
  match(conversation: string, promptTokens: number): number;
  /** Remembers the context a request left behind, within `room` tokens for all conversations together. */
  keep(conversation: string, contextTokens: number, room: number): void;
}

export function createPrefixCache(): PrefixCache {
  const held = new Map<string, number>();
  let total = 0;
  return {
    match(conversation, promptTokens) {
      const tokens = Math.min(held.get(conversation) ?? 0, promptTokens - 1);
      return Math.max(0, Math.floor(tokens / BLOCK_TOKENS) * BLOCK_TOKENS);
    },
    keep(conversation, contextTokens, room) {
      total += contextTokens - (held.get(conversation) ?? 0);
      held.delete(conversation);
      held.set(conversation, contextTokens);
      for (const [oldest, tokens] of held) {
        if (total <= room) break;
        held.delete(oldest);
        total -= tokens;
      }
    },
  };
}
