/**
 * Where the conventions keep what was said to a model and by it. OpenTelemetry's names, current and former, with dots or
 * (as Loki and Prometheus write them) underscores; OpenLLMetry's, OpenInference's, and those of SDKs with names of their own.
 */

const PROMPT_KEYS = [
  'gen_ai[._](?:input[._]messages|output[._]messages|system_instructions|event[._]content|retrieval[._](?:query[._]text|documents)|evaluation[._]explanation)',
  'gen_ai[._](?:prompt|completion)(?:_json)?',
  'gen_ai[._](?:prompt|completion)[._]\\d+[._](?:content|tool_calls?|function_call|reasoning|refusal).*',
  'gen_ai[._]tool[._]call[._](?:arguments|result)',
  'gen_ai[._](?:(?:system|user|assistant|tool)[._]message|choice)',
  'llm\\.(?:prompts|completions)(?:\\.\\d+\\.(?!role$|finish_reason$).*)?',
  'llm\\.(?:input|output)_messages.*\\.(?:content|text|url|arguments)',
  'llm\\.(?:prompt_template\\.(?:template|variables)|request\\.messages|function_call)',
  '(?:retrieval|reranker)\\..*document\\.content|reranker\\.query|embedding\\..*text|tool\\.parameters',
  '(?:input|output)\\.value',
  'traceloop\\.entity\\.(?:input|output)',
  'ai\\.(?:prompt(?:\\.(?:messages|format|tools))?|values?|response\\.(?:text|object|toolCalls|reasoning)|toolCall\\.(?:args|result))',
  '(?:langfuse\\.(?:observation|trace)|lmnr\\.span)\\.(?:input|output)|mlflow\\.span(?:Inputs|Outputs)|(?:pydantic_ai\\.)?all_messages(?:_events)?',
]; // biome-ignore format: a list to read

const PROMPT_KEY = new RegExp(`^(?:${PROMPT_KEYS.join('|')})$`);

/** Whether the attribute's value is what was said to a model or by it. */
export function isPromptKey(key: string): boolean {
  return PROMPT_KEY.test(key);
}

const MESSAGE_EVENT =
  /^gen_ai\.(?:\w+\.message|choice|content\.\w+|client\.inference\.operation\.details|client\.operation\.exception)$/;

/** Whether an event of this name carries a message, in its body or attributes. */
export function isMessageEvent(name: string): boolean {
  return name.startsWith('gen_ai.') && MESSAGE_EVENT.test(name);
}

const MESSAGE_PART =
  /^(?:body|content|contents|messages?|text|prompts?|completions?|tool_calls?|function_call|arguments|input|output|reasoning(?:_content)?)$/;

/** Whether an attribute of such an event is part of the message, under a name that says nothing elsewhere. */
export function isMessagePart(key: string): boolean {
  return MESSAGE_PART.test(key);
}
