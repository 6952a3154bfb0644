import type { FastifyPluginAsync } from 'fastify';
import type { RedactionMatch, RuleState } from '../../ingest/index.ts';
import { formatTime } from '../../model/index.ts';
import { type RedactionResponse, type RedactionTestResponse, redactionTest } from '../contract/index.ts';

export interface RedactionRoutesOptions {
  rules(): Promise<RuleState[]>;
  /** What would be written of a text; stores and counts nothing. */
  explain(text: string): Promise<{ text: string; matches: RedactionMatch[] }>;
}

/** `/api/redaction`: which rules hide secrets and how often they did; and a test of a text, of which nothing is kept. */
export function redactionRoutes(options: RedactionRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.get('/api/redaction', async (): Promise<RedactionResponse> => {
      const rules = await options.rules();
      return {
        prompts: rules.some(({ name, on }) => name === 'prompt' && on) ? 'mask' : 'keep',
        rules: rules.map(({ lastMs, ...rule }) => ({
          ...rule,
          ...(lastMs === null ? {} : { last: formatTime(lastMs) }),
        })),
      };
    });
    app.post('/api/redaction/test', async (request): Promise<RedactionTestResponse> => {
      const { text } = redactionTest.parse(request.body);
      return options.explain(text);
    });
  };
}
