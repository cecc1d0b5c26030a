/**
 * Proxies of the environment: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in lower or upper case, as curl
 * reads them. This machine is never reached through a proxy.
 */
import { BlockList, isIP } from 'node:net';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

export interface EnvironmentProxy {
  /** `http:` or `https:`, with a login if it has one. */
  readonly url: URL;
  /** The variable that names it. */
  readonly variable: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables by the protocol of the target, the first one that is set. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  'https:': ['https_proxy', 'HTTPS_PROXY'],
  'http:': ['http_proxy', 'HTTP_PROXY'],
};
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//iu;
const PORT = /^(?<host>.+):(?<port>\d+)$/u;
const PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };
const PROXY_PROTOCOLS = ['http:', 'https:'];

const THIS_MACHINE = new BlockList();
THIS_MACHINE.addSubnet('127.0.0.0', 8, 'ipv4');
THIS_MACHINE.addAddress('0.0.0.0', 'ipv4');
THIS_MACHINE.addAddress('::1', 'ipv6');
THIS_MACHINE.addAddress('::', 'ipv6');

/**
 * Returns the proxy for a target, or undefined if it is reached directly.
 *
 * @throws UsageError if the variable does not contain the address of an HTTP proxy
 */
export function proxyFor(target: URL, env: Environment = process.env): EnvironmentProxy | undefined {
  const proxy = proxyOfProtocol(target.protocol, env);
  return proxy === undefined || isDirect(target, env) ? undefined : proxy;
}

/**
 * Returns the proxy for all targets of a protocol, `https:` or `http:`.
 *
 * @throws UsageError if the variable does not contain the address of an HTTP proxy
 */
export function proxyOfProtocol(
  protocol: string,
  env: Environment = process.env,
): EnvironmentProxy | undefined {
  const variable = VARIABLES[protocol]?.find((name) => (env[name] ?? '').trim() !== '');
  const value = variable === undefined ? undefined : env[variable]?.trim();
  if (variable === undefined || value === undefined) return undefined;
  const url = URL.parse(SCHEME.test(value) ? value : `http://${value}`);
  if (url !== null && PROXY_PROTOCOLS.includes(url.protocol) && url.hostname !== '') return { url, variable };
  // The value can have a password.
  const got = url === null ? 'another value' : `the protocol \`${url.protocol}\``;
  throw new UsageError(
    `Expected \`${variable}\` to be the address of an HTTP proxy, such as http://proxy.example:3128, got ${got}. Correct or unset it.`,
  );
}

/** Value of `NO_PROXY`, if it is set. */
export function directHosts(env: Environment = process.env): string | undefined {
  return [env['no_proxy'], env['NO_PROXY']].find((value) => (value ?? '').trim() !== '')?.trim();
}

/** The login of a proxy as a header, or undefined. */
export function proxyAuthorization({ url }: Pick<EnvironmentProxy, 'url'>): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const login = `${decode(url.username)}:${decode(url.password)}`;
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Host of a URL as `node:net` takes it: without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replaceAll(/^\[|\]$/gu, '');
}

/** Port of a URL, or the default port of the protocol. */
export function portOf({ port, protocol }: URL): number {
  return Number(port === '' ? (PORTS[protocol] ?? '0') : port);
}

function isDirect(target: URL, env: Environment): boolean {
  const host = hostOf(target).replace(/\.$/u, '');
  if (isThisMachine(host)) return true;
  const port = String(portOf(target));
  return (directHosts(env) ?? '')
    .split(/[\s,]+/u)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry.toLowerCase(), host, port));
}

function isThisMachine(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host === 'localhost' || host.endsWith('.localhost');
  return THIS_MACHINE.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** An entry is `*`, a name with its subdomains, an address or a range of addresses, each with a port or without. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInRange(entry, host);
  const withPort = isIP(entry) === 0 ? PORT.exec(entry)?.groups : undefined;
  if (withPort !== undefined && withPort['port'] !== port) return false;
  const name = (withPort?.['host'] ?? entry).replaceAll(/^\[|\]$/gu, '').replace(/^\*?\./u, '');
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

function isInRange(entry: string, host: string): boolean {
  const [address = '', bits = ''] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/u.test(bits)) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(address, Number(bits), type);
  return range.check(host, type);
}
