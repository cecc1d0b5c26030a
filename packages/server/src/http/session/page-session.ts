/**
 * Sessions of the console: a token as two halves, a cookie that no script can read, and a key that only
 * pages of this origin have. A cookie alone reaches every port of a host, and requests that other sites
 * cause. A key alone can be copied by a script. Neither half is a token.
 */
import { randomBytes } from 'node:crypto';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { HALF_BYTES, halfBytes, halfText, joinHalves, tokenBytes } from './token-halves.ts';

const KEY = /^Bearer +tcs_([\w-]{43})$/iu;
const KEPT_SECONDS = 30 * 24 * 3_600;

/** A new session. */
interface OpenedSession {
  /** Sent as a bearer token, together with the cookie. */
  readonly key: string;
  /** Value of `Set-Cookie`. */
  readonly cookie: string;
}

interface NewSession {
  readonly authorization: string | null;
  /** True for 30 days, otherwise until the browser is closed. */
  readonly isKept: boolean;
}

/**
 * Opens a session for the token of an `Authorization` header.
 *
 * @throws RequestRefusedError for a token of an identity provider, whose length is not bounded
 */
export function startPageSession(headers: Headers, { authorization, isKept }: NewSession): OpenedSession {
  const token = tokenBytes(authorization);
  if (token === undefined) {
    throw new RequestRefusedError(
      'Only tokens of this server, `tc_…`, can open a session. Send the token itself.',
      {
        code: 'invalid-body',
      },
    );
  }
  const key = randomBytes(HALF_BYTES);
  return {
    key: `tcs_${halfText(key)}`,
    cookie: cookieOf(headers, halfText(joinHalves(token, key)), isKept ? KEPT_SECONDS : undefined),
  };
}

/** Returns the `Set-Cookie` that ends the session of a browser. */
export function endPageSession(headers: Headers): string {
  return cookieOf(headers, '', 0);
}

/** Returns the `Authorization` header. That of a session gets its token. */
export function authorizationOf(headers: Headers): string | null {
  const sent = headers.get('authorization');
  const key = halfBytes(KEY.exec(sent ?? '')?.[1]);
  const half = key && halfBytes(readCookie(headers));
  return key === undefined || half === undefined ? sent : `Bearer tc_${halfText(joinHalves(half, key))}`;
}

function cookieOf(headers: Headers, value: string, seconds: number | undefined): string {
  const isSecure = headers.get('origin')?.startsWith('https:') === true;
  const life = seconds === undefined ? '' : `; Max-Age=${seconds}`;
  return `${nameOf(headers)}=${value}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}${life}`;
}

/** Servers on other ports of the host share its cookies. */
function nameOf(headers: Headers): string {
  const port = /:(\d+)$/u.exec(headers.get('host') ?? '')?.[1];
  return port === undefined ? 'truecast_session' : `truecast_session_${port}`;
}

function readCookie(headers: Headers): string | undefined {
  const name = `${nameOf(headers)}=`;
  const cookies = (headers.get('cookie') ?? '').split(';').map((each) => each.trim());
  return cookies.find((each) => each.startsWith(name))?.slice(name.length);
}
