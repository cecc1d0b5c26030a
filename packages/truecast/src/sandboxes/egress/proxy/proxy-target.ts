/**
 * Parser for the destination of a guest's proxy request: a tunnel (CONNECT) or an `http:` URL.
 * Pure.
 */
import { parseAuthority } from '../../../ports/allow-rules.ts';

/** Destination of a request, or the reason why it is invalid. */
export type ProxyTarget =
  | { readonly type: 'tunnel'; readonly host: string; readonly port: number }
  | { readonly type: 'forward'; readonly host: string; readonly port: number; readonly path: string }
  | { readonly type: 'invalid'; readonly message: string };

const HTTP_PORT = 80;
/**
 * Parsed by hand, because URL parsers repair malformed input, and two parsers can do so
 * differently.
 */
const ABSOLUTE_FORM = /^http:\/\/([^/?#]+)([/?][^#]*)?$/i;
/** TRACE would echo headers that later proxies add. */
const REFUSED_METHODS = new Set(['TRACE', 'TRACK']);

/** Parses the request line of a proxy request. */
export function readProxyTarget(method: string, target: string): ProxyTarget {
  if (method === 'CONNECT') return readTunnel(target);
  if (REFUSED_METHODS.has(method)) return invalid(`The method ${method} is not supported.`);
  const match = ABSOLUTE_FORM.exec(target);
  if (match === null) {
    return invalid('This is a proxy. Send CONNECT host:port, or a request for an http:// URL.');
  }
  const authority = parseAuthority(match[1] ?? '');
  if (authority === undefined) return invalid('The URL has no plain host name, or contains credentials.');
  const path = match[2] ?? '/';
  return {
    type: 'forward',
    host: authority.host,
    port: authority.port ?? HTTP_PORT,
    path: path.startsWith('?') ? `/${path}` : path,
  };
}

function readTunnel(target: string): ProxyTarget {
  const authority = parseAuthority(target);
  if (authority?.port === undefined) return invalid('CONNECT needs host:port.');
  return { type: 'tunnel', host: authority.host, port: authority.port };
}

function invalid(message: string): ProxyTarget {
  return { type: 'invalid', message };
}
