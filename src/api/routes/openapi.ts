import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { ENDPOINTS, type Endpoint, errorResponse } from '../contract/index.ts';

/** `GET /api/openapi.json`: the own API described as OpenAPI 3.1, made from the same schemas that check it. */
export function openapiRoutes(options: { version: string }): FastifyPluginAsync {
  const description = describeApi(options.version);
  return async (app) => {
    app.get('/api/openapi.json', async () => description);
  };
}

function describeApi(version: string): object {
  const paths = new Map<string, Record<string, object>>();
  for (const endpoint of ENDPOINTS) {
    paths.set(endpoint.path, { ...paths.get(endpoint.path), [endpoint.method.toLowerCase()]: operation(endpoint) });
  }
  return { openapi: '3.1.0', info: { title: 'Trifocal', version }, paths: Object.fromEntries(paths) };
}

function operation({ path, summary, query, body, status, response }: Endpoint): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    summary,
    parameters: [...inPath, ...(query ? queryParameters(query) : [])],
    ...(body ? { requestBody: { required: true, content: json(body, 'input') } } : {}),
    responses: {
      [status ?? (body ? '201' : '200')]: { description: 'The answer', content: json(response, 'output') },
      default: { description: 'An error', content: json(errorResponse, 'output') },
    },
  };
}

function queryParameters(query: z.ZodObject): object[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function json(schema: z.ZodType, io: 'input' | 'output'): object {
  return { 'application/json': { schema: z.toJSONSchema(schema, { io, unrepresentable: 'any' }) } };
}
