import { describe, expect, it } from 'vitest';
import type { AttributeValue } from '../../../model/index.ts';
import { idsInAttributes, idsInLine } from './ids.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';
const uuid = '8f14e45f-ceea-467f-a8f2-5b1f6a2d9c11';

describe('ids in a line', () => {
  it.each<[string, string, string, string]>([
    [`{"msg":"x","trace_id":"${trace}","span_id":"${span}","request_id":"req-12ab"}`, trace, span, 'req-12ab'],
    [`{"log":"{\\"traceId\\":\\"${trace.toUpperCase()}\\",\\"requestId\\":\\"${uuid}\\"}"}`, trace, '', uuid],
    [`level=info msg=done traceID=${trace} x-request-id=${uuid}`, trace, '', uuid],
    [`{"trace.id":"${trace}","span.id":"${span}"}`, trace, span, ''],
    [`2026-12-01 INFO [trace_id=${trace} span_id=${span} resource.service.name=app] - x`, trace, span, ''],
    [`served (trace ${trace}) in 3 ms`, trace, '', ''],
    [`headers: {'traceparent': '00-${trace}-${span}-01'}`, trace, span, ''],
    [
      `INFO 12-01 [logger.py:1] Received request chatcmpl-${span}: prompt: '[redacted:prompt]', params: x`,
      '',
      '',
      `chatcmpl-${span}`,
    ],
    [`INFO 12-01 [async_llm.py:1] Added request cmpl-${trace}-0.`, '', '', `cmpl-${trace}`],
    [`Req: obj=GenerateReqInput(rid='${trace}')`, '', '', trace],
    ['X-Request-ID: abc123/def', '', '', 'abc123/def'],
    [
      `[2026-12-01T14:46:59.123Z] "POST /v1/chat HTTP/1.1" 200 - 12 34 5 4 "10.0.0.1" "curl/8" "${uuid}" "api" "10.0.0.2:80"`,
      '',
      '',
      uuid,
    ],
  ])('%s', (line, traceId, spanId, requestId) => {
    expect(idsInLine(line, { trace: true, request: true })).toEqual({ traceId, spanId, requestId });
  });

  it.each([
    'Traceback (most recent call last):',
    'request id missing from headers',
    'request_id=None',
    'trace_id=12345',
    `trace_id=${'0'.repeat(32)}`,
    `trace_id=${trace}ff`,
    'POST /v1/requests 200',
    '',
  ])('none in: %s', (line) => {
    expect(idsInLine(line, { trace: true, request: true })).toBeUndefined();
  });

  it('looks for nothing that is known', () => {
    expect(idsInLine(`trace_id=${trace} request_id=req-1`, { trace: false, request: false })).toBeUndefined();
  });
});

describe('ids in attributes', () => {
  it.each<[Record<string, AttributeValue>, string, string, string]>([
    [{ trace_id: trace, span_id: span, request_id: 'r-1' }, trace, span, 'r-1'],
    [{ traceparent: `00-${trace}-${span}-01` }, trace, span, ''],
    [{ 'dd.trace_id': '1234567890' }, '', '', ''],
    [{ 'dd.trace_id': trace }, trace, '', ''],
    [{ 'http.request.header.x-request-id': ['a-1', 'b-2'] }, '', '', 'a-1'],
    [{ 'gen_ai.response.id': 'chatcmpl-9', 'gen_ai.request.id': 'cmpl-8' }, '', '', 'cmpl-8'],
    [{ 'gen_ai.response.id': 'chatcmpl-9', 'x-request-id': 'gw-7' }, '', '', 'gw-7'],
    [{ req_id: 12345 }, '', '', '12345'],
    [{ status: 'x' }, '', '', ''],
  ])('%o', (attributes, traceId, spanId, requestId) => {
    expect(idsInAttributes(new Map(Object.entries(attributes)))).toEqual({ traceId, spanId, requestId });
  });
});
