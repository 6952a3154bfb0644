import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/index.ts';
import type { AttributeValue } from '../../../model/index.ts';
import { collect, nowNs, openHttp } from '../contract.ts';
import { ProtoWriter } from '../wire/index.ts';
import { otlp } from './index.ts';
import { anyValue, exportRequest, keyValues, type Plain, span } from './testdata.ts';

const MASKED = '[redacted:prompt]';
const SAID = 'my mother is ill';
const TRACE = '5b8efff798038103d269b633813fc60c';

async function through(url: string, body: Buffer) {
  const ingest = collect();
  const door = await openHttp(otlp, { ...ingest, logger: silentLogger }, url, {
    'content-type': 'application/x-protobuf',
  });
  expect(await door.send(body)).toMatchObject({ code: 200 });
  await door.close();
  const [batch] = ingest.batches;
  // Wherever it may have gone.
  const show = (_key: string, value: unknown) =>
    value instanceof Map ? [...value] : typeof value === 'bigint' ? String(value) : value;
  expect(JSON.stringify(batch, show)).not.toContain(SAID);
  return batch;
}

const aSpan = (attributes: Record<string, Plain>) =>
  span({ traceId: TRACE, spanId: 'eee19b7ec3c1b174', name: 'chat qwen', startNs: nowNs, endNs: nowNs, attributes });

const CONTENT: [string, Plain][] = [
  ['gen_ai.input.messages', `[{"role":"user","parts":[{"type":"text","content":"${SAID}"}]}]`],
  ['gen_ai.input.messages', [{ role: 'user', parts: [{ type: 'text', content: SAID }] }]],
  ['gen_ai.output.messages', `[{"role":"assistant","parts":["${SAID}"]}]`],
  ['gen_ai.system_instructions', SAID],
  ['gen_ai.prompt', SAID],
  ['gen_ai.completion', SAID],
  ['gen_ai.prompt.0.content', SAID],
  ['gen_ai.completion.0.tool_calls.0.arguments', SAID],
  ['gen_ai.tool.call.arguments', { query: SAID }],
  ['gen_ai.tool.call.result', SAID],
  ['gen_ai.retrieval.query.text', SAID],
  ['gen_ai.retrieval.documents', [{ content: SAID }]],
  ['gen_ai.evaluation.explanation', SAID],
  ['llm.prompts', [SAID]],
  ['llm.prompts.0.user', SAID],
  ['llm.completions.0.content', SAID],
  ['llm.input_messages.0.message.content', SAID],
  ['llm.input_messages.0.message.contents.1.message_content.text', SAID],
  ['llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments', SAID],
  ['retrieval.documents.0.document.content', SAID],
  ['input.value', SAID],
  ['output.value', SAID],
  ['traceloop.entity.input', SAID],
  ['ai.prompt.messages', SAID],
  ['ai.response.text', SAID],
];

describe('what was said to a model is masked, and nothing else', () => {
  it.each(CONTENT)('in a span’s attribute %s', async (key, value) => {
    const batch = await through(
      '/v1/traces',
      exportRequest({}, [aSpan({ [key]: value, 'gen_ai.request.model': 'qwen' })]),
    );
    expect([...(batch?.spans?.[0]?.attributes ?? [])]).toEqual([
      [key, MASKED],
      ['gen_ai.request.model', 'qwen'],
    ]);
  });

  it.each<[string, Record<string, Plain>, Record<string, AttributeValue>]>([
    ['gen_ai.content.prompt', { 'gen_ai.prompt': SAID }, { 'gen_ai.prompt': MASKED }],
    ['gen_ai.content.completion', { 'gen_ai.completion': SAID }, { 'gen_ai.completion': MASKED }],
    [
      'gen_ai.user.message',
      { 'gen_ai.event.content': `{"content":"${SAID}"}`, 'gen_ai.system': 'openai' },
      { 'gen_ai.event.content': MASKED, 'gen_ai.system': 'openai' },
    ],
    ['gen_ai.user.message', { content: SAID, role: 'user' }, { content: MASKED, role: 'user' }],
    ['gen_ai.choice', { message: { content: SAID }, index: 0n }, { message: MASKED, index: 0n }],
    ['gen_ai.tool.message', { content: SAID, id: 'call_1' }, { content: MASKED, id: 'call_1' }],
    [
      'gen_ai.client.inference.operation.details',
      { 'gen_ai.input.messages': SAID, 'gen_ai.usage.input_tokens': 3n },
      { 'gen_ai.input.messages': MASKED, 'gen_ai.usage.input_tokens': 3n },
    ],
    ['cache', { content: 'hit' }, { content: 'hit' }],
  ])('in a span’s event %s', async (name, given, kept) => {
    const event = keyValues(3, given, new ProtoWriter().fixed64(1, nowNs).bytes(2, name));
    const batch = await through('/v1/traces', exportRequest({}, [aSpan({}).bytes(11, event)]));
    expect(batch?.spans?.[0]?.events[0]?.attributes).toEqual(new Map(Object.entries(kept)));
  });

  it.each<[string, Plain, Record<string, Plain>]>([
    ['gen_ai.system.message', { content: SAID, role: 'system' }, {}],
    ['gen_ai.user.message', { content: SAID }, {}],
    ['gen_ai.assistant.message', { tool_calls: [{ function: { arguments: SAID } }] }, {}],
    ['gen_ai.tool.message', SAID, {}],
    ['gen_ai.choice', { index: 0, message: { content: SAID } }, { content: SAID }],
    [
      'gen_ai.client.inference.operation.details',
      '',
      { 'gen_ai.input.messages': SAID, 'gen_ai.output.messages': SAID },
    ],
    ['gen_ai.evaluation.result', '', { 'gen_ai.evaluation.explanation': SAID, 'gen_ai.evaluation.score.value': 0.5 }],
    ['', `{"messages":[{"role":"user","content":"${SAID}"}]}`, {}],
    ['', { messages: [{ role: 'user', content: SAID }] }, {}],
  ])('in a log event %s with body %j', async (name, body, attributes) => {
    for (const asField of [true, false]) {
      const record = new ProtoWriter().fixed64(1, nowNs).bytes(5, anyValue(body));
      const named = asField ? record.bytes(12, name) : keyValues(6, name === '' ? {} : { 'event.name': name }, record);
      const batch = await through('/v1/logs', exportRequest({}, [keyValues(6, attributes, named)]));
      const [log] = batch?.logs ?? [];
      expect(log?.attributes.get('event.name') ?? '').toBe(name);
      if (body !== '') expect(log?.body).toContain(MASKED);
      if ('gen_ai.evaluation.score.value' in attributes)
        expect(log?.attributes.get('gen_ai.evaluation.score.value')).toBe(0.5);
    }
  });

  it('in bytes of a log’s body', async () => {
    const body = new ProtoWriter().bytes(7, Buffer.from(`{"role":"user","content":"${SAID}"}`));
    const batch = await through('/v1/logs', exportRequest({}, [new ProtoWriter().fixed64(1, nowNs).bytes(5, body)]));
    expect(batch?.logs?.[0]?.body).toBe(`{"role":"user","content":"${MASKED}"}`);
  });

  it('but no token counts, models, ids or times', async () => {
    const attributes = {
      'gen_ai.usage.prompt_tokens': 3n,
      'gen_ai.usage.completion_tokens': 4n,
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.completion.0.finish_reason': 'stop',
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.tool.name': 'search',
      'gen_ai.tool.call.id': 'call_1',
      'gen_ai.latency.time_to_first_token': 0.25,
      'llm.token_count.prompt': 3n,
      'llm.input_messages.0.message.role': 'user',
    };
    const batch = await through('/v1/traces', exportRequest({}, [aSpan(attributes)]));
    const kept = Object.fromEntries(batch?.spans?.[0]?.attributes ?? []);
    expect(kept).toMatchObject(attributes);
  });
});
