/** Proxies of the environment: finds the one to which a failed connection was made. */
import { isIP } from 'node:net';

/** Node reads these with `NODE_USE_ENV_PROXY`. */
const VARIABLES: readonly string[] = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** Returns the proxy that a failed connection was for. Undefined if it was for another address. */
export function proxyAt(error: Error): string | undefined {
  if (process.env['NODE_USE_ENV_PROXY'] !== '1') return undefined;
  const proxies = VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value !== undefined && URL.canParse(value) ? [new URL(value)] : [];
  });
  return proxies.find((proxy) => isOf(error, proxy))?.origin;
}

function isOf(error: Error, proxy: URL): boolean {
  const host = proxy.hostname.replaceAll(/^\[|\]$/gu, '');
  const hostname: unknown = Reflect.get(error, 'hostname');
  // A name that was not found has no port.
  if (hostname !== undefined) return hostname === host;
  const address: unknown = Reflect.get(error, 'address');
  if (address === undefined || String(Reflect.get(error, 'port')) !== portOf(proxy)) return false;
  return isIP(host) === 0 || address === host;
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}
