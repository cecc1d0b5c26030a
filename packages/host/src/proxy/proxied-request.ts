/** Options of a request of `node:http` or `node:https` that goes through the proxy of the environment. */
import type { RequestOptions } from 'node:http';
import type { Agent } from 'node:https';
import type { Duplex } from 'node:stream';
import { hostOf, portOf, proxyAuthorization, proxyFor, type EnvironmentProxy } from './environment-proxy.ts';
import { openTunnel } from './open-tunnel.ts';

/** Changes of a request. */
export interface ProxiedRequest {
  /** True if the first hop uses TLS. */
  readonly isHttps: boolean;
  readonly options: RequestOptions;
  /** For the proxy alone. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

/** Agents by the address of the proxy, so that connections are used again. */
const agents = new Map<string, Agent>();

/**
 * Returns the changes for a target, or undefined if it is reached directly.
 *
 * @param path - the path and query, unchanged by a parser of URLs. @default those of `target`
 * @throws UsageError if the variable does not contain the address of an HTTP proxy
 */
export function proxiedRequest(
  target: URL,
  path: string = `${target.pathname}${target.search}`,
): ProxiedRequest | undefined {
  const proxy = proxyFor(target);
  if (proxy === undefined) return undefined;
  if (target.protocol === 'https:') {
    return { isHttps: true, options: { agent: agentOf(proxy) }, headers: {} };
  }
  const { url } = proxy;
  const login = proxyAuthorization(proxy);
  const host = hostOf(url);
  return {
    isHttps: url.protocol === 'https:',
    // The addresses that a caller has looked up are those of the target.
    options: { host, hostname: host, port: portOf(url), path: `${target.origin}${path}`, lookup: undefined },
    headers: { host: [target.host], ...(login !== undefined && { 'proxy-authorization': [login] }) },
  };
}

function agentOf(proxy: EnvironmentProxy): Agent {
  const { href } = proxy.url;
  const agent = agents.get(href) ?? tunnelAgent(proxy);
  agents.set(href, agent);
  return agent;
}

/** Gets the connection, or its error as the first value. */
type OnConnection = (error: Error | null, stream: Duplex) => void;

/** Creates an agent whose connections are tunnels, with TLS in them. */
function tunnelAgent(proxy: EnvironmentProxy): Agent {
  // At the first use: an import of it, and of `node:http`, loads the whole HTTP client at each start.
  const { Agent: TlsAgent } = process.getBuiltinModule('node:https');
  class TunnelAgent extends TlsAgent {
    override createConnection(options: RequestOptions, onConnection?: OnConnection): undefined {
      const { host, port } = options;
      const fail = onConnection as ((error: unknown) => void) | undefined;
      openTunnel(proxy, { host: host ?? '', port: Number(port ?? 443) }).then(
        (socket) => {
          const secured = super.createConnection(Object.assign({}, options, { socket }));
          if (secured) onConnection?.(null, secured);
        },
        (error: unknown) => fail?.(error),
      );
    }
  }
  return new TunnelAgent({ keepAlive: true });
}
