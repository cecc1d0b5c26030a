/**
 * Canonical host names for comparison, connections and messages. Both guest input and the caller's
 * list are canonicalized here. Pure.
 */
import { isIP } from 'node:net';

const MAX_NAME_CHARS = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Characters that are never allowed in a host. They would begin or hide another part of a URL. */
const FORBIDDEN = /[\s/?#@\\%<>^|"'`{}]|\p{Cc}/u;

/**
 * Returns a host in lower case and ASCII (IDN), without its trailing dot. An IP address is returned
 * in canonical form, IPv6 without brackets. Returns undefined for an invalid host.
 *
 * Every notation of an IPv4 address (`127.1`, `0x7f000001`, `2130706433`) becomes the dotted one.
 * Otherwise it could pass as a name.
 */
export function canonicalHost(text: string): string | undefined {
  if (text === '' || text.length > MAX_NAME_CHARS + 2 || FORBIDDEN.test(text)) return undefined;
  const isBracketed = text.startsWith('[') && text.endsWith(']');
  if (!isBracketed && text.includes(':')) return undefined;
  const url = URL.parse(`http://${text}/`);
  if (url === null) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return host;
  const isName = host.length <= MAX_NAME_CHARS && host.split('.').every((label) => LABEL.test(label));
  return isName ? host : undefined;
}

/** A host with an optional port. */
export interface HostAndPort {
  /** In canonical form. */
  readonly host: string;
  /** Undefined if no port was given. */
  readonly port: number | undefined;
}

/** Parses `host`, `host:port`, `[ipv6]` or `[ipv6]:port`. Returns undefined for anything else. */
export function parseAuthority(text: string): HostAndPort | undefined {
  const match = /^(\[[^[\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/u.exec(text);
  const host = canonicalHost(match?.[1] ?? '');
  if (match === null || host === undefined) return undefined;
  if (match[2] === undefined) return { host, port: undefined };
  const port = Number(match[2]);
  return port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

/** Formats a host and port as in a URL. */
export function formatAuthority(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
