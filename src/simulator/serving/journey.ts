import type { PodRuntime } from '../pod-runtime.ts';
import type { ModelCall } from './engine.ts';
import type { UserRequest } from './traffic.ts';

/** One user request on its way through the services. */
export interface Journey {
  request: UserRequest;
  requestId: string;
  traceId: string;
  /** Whether its spans are kept. */
  sampled: boolean;
  startMs: number;
  gateway: PodRuntime;
  /** Span id of the gateway's server span; empty when not sampled. */
  rootSpan: string;
}

export const PATHS = {
  chat: '/v1/chat/completions',
  rag: '/v1/rag/query',
  embed: '/v1/embeddings',
  search: '/collections/documents/points/query',
} as const;

/** The call of the model that the request comes to, not yet at the engine. */
export function modelCallOf(journey: Journey): ModelCall {
  const { request } = journey;
  const whole = Math.min(request.wantedTokens, request.maxTokens);
  const complete = request.wantedTokens < request.maxTokens ? 'stop' : 'length';
  return {
    id: `chatcmpl-${journey.requestId.slice(4)}`,
    conversation: request.conversation,
    promptTokens: request.promptTokens,
    outputTokens: Math.max(1, Math.floor(whole * request.patience)),
    maxTokens: request.maxTokens,
    finishReason: request.patience < 1 ? 'abort' : complete,
    arrivedAt: 0,
    queuedAt: 0,
    scheduledAt: 0,
    firstTokenAt: 0,
    finishedAt: 0,
    cachedTokens: 0,
    onFinish: () => {},
  };
}

/** 499 as nginx has it: the client closed the connection. */
export function statusOf(call: ModelCall): number {
  return call.finishReason === 'abort' ? 499 : 200;
}

export function errorOf(call: ModelCall): string | undefined {
  return call.finishReason === 'abort' ? 'client closed request' : undefined;
}
