import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

/**
 * Keeps other sites' pages out of a port that the operator's own browser can reach. `Host` must name an address this
 * server is meant to be reached by (stops DNS rebinding), and a request that carries `Origin` must come from the
 * same host (stops cross-site calls). Programs send no Origin and pass.
 */
export function guardOrigin(request: FastifyRequest, allowedHosts: readonly string[]): void {
  const host = request.headers.host;
  if (host === undefined || !isAllowedHost(host, allowedHosts)) {
    throw new ApiError(
      'forbidden_origin',
      `the Host header ${JSON.stringify(host ?? '')} is not an address of this server`,
      {
        path: 'Host',
        hint: 'Use localhost or 127.0.0.1.',
      },
    );
  }
  const origin = request.headers.origin;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    throw new ApiError('forbidden_origin', `pages of ${origin} may not call this server`, { path: 'Origin' });
  }
  if (request.headers['sec-fetch-site'] === 'cross-site' && request.headers['sec-fetch-mode'] !== 'navigate') {
    throw new ApiError('forbidden_origin', 'pages of another site may not call this server', {
      path: 'Sec-Fetch-Site',
    });
  }
}

/** Loopback names and addresses always are; others only when listed. The port is not compared: tunnels change it. */
export function isAllowedHost(host: string, allowedHosts: readonly string[]): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name) || allowedHosts.includes(name);
}
