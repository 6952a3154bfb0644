import type { FastifyRequest } from 'fastify';
import { parseDuration } from '../../model/index.ts';
import { type Matcher, PromqlError, parseSeriesSelector } from '../../query/index.ts';
import { PrometheusError } from './prometheus-error.ts';

export type Parameters = URLSearchParams;

/** Those of the URL and, for a form, of the body; a form's come first. */
export function readParameters(request: FastifyRequest): Parameters {
  const at = request.url.indexOf('?');
  const parameters = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
  for (const [name, value] of new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1)))
    parameters.append(name, value);
  return parameters;
}

function invalid(name: string, message: string): PrometheusError {
  return new PrometheusError('bad_data', `invalid parameter "${name}": ${message}`);
}

/** Epoch seconds or RFC 3339, in milliseconds; undefined when it is not given. */
export function timeOf(parameters: Parameters, name: string): number | undefined {
  const text = parameters.get(name) ?? '';
  if (text === '') return undefined;
  const ms = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Math.round(Number(text) * 1000) : rfc3339(text);
  if (ms === undefined || !Number.isSafeInteger(ms))
    throw invalid(name, `cannot parse ${JSON.stringify(text)} to a valid timestamp`);
  return ms;
}

function rfc3339(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

export function requiredTime(parameters: Parameters, name: string): number {
  const ms = timeOf(parameters, name);
  if (ms === undefined) throw invalid(name, 'cannot parse "" to a valid timestamp');
  return ms;
}

/** Seconds or a duration, in whole milliseconds. */
function durationOf(parameters: Parameters, name: string): number {
  const text = parameters.get(name) ?? '';
  const ms = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) * 1000 : parseDuration(text);
  if (ms === undefined) throw invalid(name, `cannot parse ${JSON.stringify(text)} to a valid duration`);
  return Math.round(ms);
}

export function stepOf(parameters: Parameters): number {
  const ms = durationOf(parameters, 'step');
  if (ms <= 0)
    throw invalid('step', 'zero or negative query resolution step widths are not accepted. Try a positive integer');
  return ms;
}

/** A length of time that may be left out. */
export function timeoutOf(parameters: Parameters, name: 'timeout' | 'lookback_delta'): number | undefined {
  return parameters.get(name) ? durationOf(parameters, name) : undefined;
}

/** Zero when there is no limit. */
export function limitOf(parameters: Parameters, name: 'limit' | 'limit_per_metric' = 'limit'): number {
  const text = parameters.get(name) ?? '';
  if (text === '') return 0;
  if (!/^\d{1,15}$/.test(text))
    throw invalid(name, `${JSON.stringify(text)} is not a number of results; 0 stands for all`);
  return Number(text);
}

export function matchersOf(parameters: Parameters): Matcher[][] {
  return parameters.getAll('match[]').map((text) => {
    try {
      return parseSeriesSelector(text);
    } catch (error) {
      if (error instanceof PromqlError) throw invalid('match[]', error.message);
      throw error;
    }
  });
}
