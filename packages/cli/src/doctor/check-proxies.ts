/** Test of the proxies in the environment: which one is used, and for what. */
import { directHosts, proxyOfProtocol } from '@truecast/host/internal/proxy/environment-proxy';

/** The proxies in the report. */
export interface ProxyFinding {
  readonly works: boolean;
  readonly detail: string;
}

/** Returns the finding, or undefined if no proxy is set. A login is never shown. */
export function checkProxies(
  env: Readonly<Record<string, string | undefined>> = process.env,
): ProxyFinding | undefined {
  try {
    const ways = ['https:', 'http:'].map((protocol) => ({ protocol, proxy: proxyOfProtocol(protocol, env) }));
    if (ways.every(({ proxy }) => proxy === undefined)) return undefined;
    const shown = ways.map(({ protocol, proxy }) =>
      proxy === undefined
        ? `${protocol}// directly`
        : `${protocol}// by ${proxy.url.origin} (${proxy.variable}${proxy.url.username === '' ? '' : ', with a login'})`,
    );
    const direct = directHosts(env);
    const except = direct === undefined ? '' : `; NO_PROXY: ${direct}`;
    return { works: true, detail: `${shown.join(', ')}; this machine directly${except}` };
  } catch (error) {
    return { works: false, detail: error instanceof Error ? error.message : String(error) };
  }
}
