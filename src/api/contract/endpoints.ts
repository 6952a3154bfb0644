import { z } from 'zod';
import { restoreRequest, restoreResponse } from './backups.ts';
import { cardinalityQuery, cardinalityResponse } from './cardinality.ts';
import { changesQuery, changesResponse, eventsResponse } from './changes.ts';
import { coverageResponse, entitiesQuery, entitiesResponse, entityDetail, entityQuery } from './entities.ts';
import {
  investigation,
  investigationFailed,
  investigationRequest,
  investigationRunning,
  investigationsResponse,
} from './investigations.ts';
import { logsQuery, logsResponse } from './logs.ts';
import { pageQuery, rangeQuery } from './page.ts';
import { redactionResponse, redactionTest, redactionTestResponse } from './redaction.ts';
import { signalQuery, signalResponse, signalsResponse } from './signals.ts';
import { statusResponse, telemetryResponse } from './telemetry.ts';
import { traceResponse, tracesQuery, tracesResponse } from './traces.ts';

export interface Endpoint {
  method: 'GET' | 'POST';
  /** With `{parameters}` as OpenAPI writes them. */
  path: string;
  summary: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Of the answer; 201 for what takes a body unless given, since that makes something. */
  status?: 200;
  response: z.ZodType;
}

/** Every endpoint of Trifocal's own API; `/api/openapi.json` is made of this list. */
export const ENDPOINTS: readonly Endpoint[] = [
  { method: 'GET', path: '/api/status', summary: 'What this server is and runs', response: statusResponse },
  {
    method: 'GET',
    path: '/api/entities',
    summary: 'Entities of the estate',
    query: entitiesQuery,
    response: entitiesResponse,
  },
  {
    method: 'GET',
    path: '/api/entities/{ref}',
    summary: 'One entity with its neighbourhood',
    query: entityQuery,
    response: entityDetail,
  },
  {
    method: 'GET',
    path: '/api/entities/{ref}/changes',
    summary: 'What changed about an entity',
    query: rangeQuery,
    response: changesResponse,
  },
  {
    method: 'GET',
    path: '/api/entities/{ref}/coverage',
    summary: 'Which canonical signals an entity has',
    query: entityQuery,
    response: coverageResponse,
  },
  {
    method: 'GET',
    path: '/api/changes',
    summary: 'What changed in the estate',
    query: changesQuery,
    response: changesResponse,
  },
  { method: 'GET', path: '/api/events', summary: 'Kubernetes events', query: changesQuery, response: eventsResponse },
  { method: 'GET', path: '/api/signals', summary: 'The catalogue of canonical signals', response: signalsResponse },
  {
    method: 'GET',
    path: '/api/signals/{name}',
    summary: 'One canonical signal over time',
    query: signalQuery,
    response: signalResponse,
  },
  { method: 'GET', path: '/api/logs', summary: 'Log lines', query: logsQuery, response: logsResponse },
  { method: 'GET', path: '/api/traces', summary: 'Traces', query: tracesQuery, response: tracesResponse },
  { method: 'GET', path: '/api/traces/{id}', summary: 'One trace', response: traceResponse },
  {
    method: 'GET',
    path: '/api/telemetry',
    summary: 'Who delivers, what was dropped, how much is kept',
    response: telemetryResponse,
  },
  {
    method: 'GET',
    path: '/api/cardinality',
    summary: 'How many series, of which metrics and labels, and what limits refused',
    query: cardinalityQuery,
    response: cardinalityResponse,
  },
  {
    method: 'GET',
    path: '/api/redaction',
    summary: 'Which rules hide secrets, and how often they did',
    response: redactionResponse,
  },
  {
    method: 'POST',
    path: '/api/redaction/test',
    summary: 'What would be written of a text',
    body: redactionTest,
    status: 200,
    response: redactionTestResponse,
  },
  {
    method: 'POST',
    path: '/api/investigations',
    summary: 'Ask why something is slow or failing',
    body: investigationRequest,
    response: z.union([investigation, investigationRunning]),
  },
  {
    method: 'GET',
    path: '/api/investigations',
    summary: 'Investigations kept',
    query: pageQuery,
    response: investigationsResponse,
  },
  {
    method: 'GET',
    path: '/api/investigations/{id}',
    summary: 'One investigation',
    response: z.union([investigation, investigationRunning, investigationFailed]),
  },
  {
    method: 'POST',
    path: '/api/restores',
    summary: "Restore a backup that lies in the server's backups folder",
    body: restoreRequest,
    status: 200,
    response: restoreResponse,
  },
];
