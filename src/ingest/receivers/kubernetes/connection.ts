import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';

/** How to reach a cluster's API. `ca`: PEM text or a file's path. */
export type KubernetesConnection =
  | { url: string; token?: string; ca?: string }
  | { kubeconfig: string; context?: string }
  | { inCluster: true };

/** Plain HTTP to the API server, with the authentication and TLS that the connection asks for, renewed per request. */
export interface KubernetesApi {
  /** Resolves with the headers; the caller reads or destroys the response. Rejects when there is no answer. */
  get(path: string, query: Record<string, string>, signal: AbortSignal): Promise<IncomingMessage>;
}

export function openConnection(connection: KubernetesConnection): KubernetesApi {
  const config = loadConfig(connection);
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error('the kubeconfig names no cluster for its current context');
  return {
    async get(path, query, signal) {
      const url = new URL(`${server.replace(/\/$/, '')}${path}?${new URLSearchParams(query)}`);
      const options: RequestOptions = { headers: { accept: 'application/json', 'user-agent': 'trifocal' } };
      // Tokens from files and exec plugins change while we run: ask the library each time.
      await config.applyToHTTPSOptions(options);
      const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
      return new Promise((resolve, reject) => {
        const sent = send(url, { ...options, signal }, resolve);
        sent.on('error', reject);
        sent.end();
      });
    },
  };
}

function loadConfig(connection: KubernetesConnection): KubeConfig {
  const config = new KubeConfig();
  if ('inCluster' in connection) config.loadFromCluster();
  else if ('kubeconfig' in connection) {
    config.loadFromFile(connection.kubeconfig);
    if (connection.context !== undefined) {
      if (!config.getContextObject(connection.context))
        throw new Error(`${connection.kubeconfig} has no context ${connection.context}`);
      config.setCurrentContext(connection.context);
    }
  } else {
    const { url, token, ca } = connection;
    // The library refuses plain HTTP unless TLS checks are off; over HTTP there is no TLS to check.
    const plain = url.startsWith('http:');
    const caData =
      ca === undefined
        ? {}
        : { caData: Buffer.from(ca.includes('-----BEGIN') ? ca : readFileSync(ca, 'utf8')).toString('base64') };
    config.loadFromClusterAndUser(
      { name: 'cluster', server: url, skipTLSVerify: plain, ...caData },
      { name: 'user', ...(token === undefined ? {} : { token }) },
    );
  }
  return config;
}
