import type { PodRuntime } from '../pod-runtime.ts';
import type { LogLine } from '../telemetry/signals.ts';
import type { ModelCall } from './engine.ts';
import { type Journey, PATHS } from './journey.ts';
import type { Replica } from './router.ts';

/** The gateway's access log: one line of JSON per answered request. */
export function gatewayLine(
  journey: Journey,
  nowMs: number,
  status: number,
  served?: { call: ModelCall; replica: Replica },
): LogLine {
  const { request } = journey;
  const level = status < 400 ? 'info' : 'warn';
  const line = JSON.stringify({
    time: new Date(nowMs).toISOString(),
    level,
    msg: status === 400 ? 'refused: messages must not be empty' : 'request',
    request_id: journey.requestId,
    trace_id: journey.traceId,
    method: 'POST',
    path: PATHS[request.route],
    status,
    duration_ms: Math.round(nowMs - journey.startMs),
    model: request.model,
    tenant: request.tenant,
    client: `${request.client.name}/${request.client.version}`,
    ...(served
      ? {
          upstream: served.replica.pod.source.pod,
          ttft_ms: Math.round(served.call.firstTokenAt - journey.startMs),
          prompt_tokens: served.call.promptTokens,
          completion_tokens: served.call.outputTokens,
          finish_reason: served.call.finishReason,
        }
      : {}),
  });
  return { source: journey.gateway.source, timeMs: nowMs, level, line };
}

/** The RAG service's line in the style of Python's logging. */
export function ragLine(
  journey: Journey,
  pod: PodRuntime,
  nowMs: number,
  answer: { status: number; retrievalMs: number; call: ModelCall },
): LogLine {
  const { status, retrievalMs, call } = answer;
  const stamp = new Date(nowMs).toISOString().replace('T', ' ').replace('.', ',').slice(0, 23);
  const line =
    `${stamp} INFO [rag_api.answer] request_id=${journey.requestId} trace_id=${journey.traceId} status=${status} ` +
    `documents=6 retrieval_ms=${retrievalMs.toFixed(1)} generation_ms=${Math.round(call.finishedAt - call.arrivedAt)} ` +
    `model=${journey.request.model}`;
  return { source: pod.source, timeMs: nowMs, level: 'info', line };
}
