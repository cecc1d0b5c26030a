/** Owns who may call by what name: a page of another site, or a name that was bound anew to this address, may not. */
import { RequestRefusedError } from '../../errors/request-refused-error.ts';
import type { ServerParts } from './server-parts.ts';

/** The names of a server that listens on loopback only. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

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
      'This server is not called by that name. Use 127.0.0.1 or localhost, or allow the name when it starts.',
      { code: 'foreign-host' },
    );
  }
  const origin = headers.get('origin');
  if (origin === null || allowedOrigins.includes(origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new RequestRefusedError(
    'Pages of that site may not call this server. Allow the origin when it starts.',
    {
      code: 'foreign-origin',
    },
  );
}
