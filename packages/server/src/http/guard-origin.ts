/** Host and Origin checks (DNS rebinding, cross-site requests) and CORS headers. */
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import type { ServerParts } from './server-parts.ts';

/** Host names of a server that listens on loopback only. */
export const LOOPBACK_HOST_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Returns true for a host on which only this machine reaches a server. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** @throws RequestRefusedError `foreign-host`, `foreign-origin` */
export function guardOrigin(
  headers: Headers,
  url: URL,
  { allowedHosts, allowedOrigins }: Pick<ServerParts, 'allowedHosts' | 'allowedOrigins'>,
): void {
  const host = headers.get('host') ?? url.host;
  const name = host.replace(/:\d+$/u, '').toLowerCase();
  if (allowedHosts !== undefined && !allowedHosts.includes(name)) {
    throw new RequestRefusedError(
      'The Host header does not name this server. Use 127.0.0.1 or localhost, or add the name to `allowedHosts` of the server.',
      { code: 'foreign-host' },
    );
  }
  const origin = headers.get('origin');
  if (origin === null || allowedOrigins.includes(origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new RequestRefusedError(
    'Pages of this origin are not allowed to call the server. Add the origin to `allowedOrigins` of the server.',
    {
      code: 'foreign-origin',
    },
  );
}

/**
 * Allowed CORS headers beyond the safelisted ones. Pages send tokens themselves. Cookies
 * of other origins are never used.
 */
const SENT_HEADERS = 'authorization, content-type, idempotency-key, last-event-id';
const READ_HEADERS = 'x-request-id, idempotency-replayed, retry-after, www-authenticate, x-should-retry';
const PREFLIGHT_SECONDS = '600';

/** Returns the CORS headers for a page of an allowed site. Empty for any other origin. */
export function originHeaders(
  headers: Headers,
  { allowedOrigins }: Pick<ServerParts, 'allowedOrigins'>,
): Readonly<Record<string, string>> {
  if (allowedOrigins.length === 0) return {};
  const origin = headers.get('origin');
  if (origin === null || !allowedOrigins.includes(origin)) return { vary: 'origin' };
  return {
    vary: 'origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': READ_HEADERS,
  };
}

/** Answers a CORS preflight of an allowed site. Undefined for any other request. */
export function preflightResponse(
  request: Request,
  parts: Pick<ServerParts, 'allowedOrigins'>,
): Response | undefined {
  const isAsked = request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
  const allowed = originHeaders(request.headers, parts);
  if (!isAsked || allowed['access-control-allow-origin'] === undefined) return undefined;
  return new Response(null, {
    status: 204,
    headers: {
      ...allowed,
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      'access-control-allow-headers': SENT_HEADERS,
      'access-control-max-age': PREFLIGHT_SECONDS,
    },
  });
}
