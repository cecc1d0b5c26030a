/**
 * Sessions of the console: a token as two halves, a cookie that no script can read, and a key that only
 * pages of this origin have. A cookie alone reaches every port of a host, and requests that other sites
 * cause. A key alone can be copied by a script. Neither half is a token.
 */
import { randomBytes } from 'node:crypto';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';

const TOKEN_BYTES = 32;
const TOKEN = /^Bearer +tc_([\w-]{43})$/iu;
const KEY = /^Bearer +tcs_([\w-]{43})$/iu;
const KEPT_SECONDS = 30 * 24 * 3_600;

/** A new session. */
interface OpenedSession {
  /** Sent as a bearer token, together with the cookie. */
  readonly key: string;
  /** Value of `Set-Cookie`. */
  readonly cookie: string;
}

/**
 * Opens a session for the token of a request, or renews that of its session.
 *
 * @throws RequestRefusedError for a token of an identity provider, whose length is not bounded
 */
export function startPageSession(headers: Headers, { isKept }: { readonly isKept: boolean }): OpenedSession {
  const token = bytesOf(TOKEN.exec(authorizationOf(headers) ?? '')?.[1]);
  if (token === undefined) {
    throw new RequestRefusedError(
      'Only tokens of this server, `tc_…`, can open a session. Send the token itself.',
      {
        code: 'invalid-body',
      },
    );
  }
  const key = randomBytes(TOKEN_BYTES);
  return {
    key: `tcs_${key.toString('base64url')}`,
    cookie: cookieOf(headers, both(token, key).toString('base64url'), isKept ? KEPT_SECONDS : undefined),
  };
}

/** Returns the `Set-Cookie` that ends the session of a browser. */
export function endPageSession(headers: Headers): string {
  return cookieOf(headers, '', 0);
}

/** Returns the `Authorization` header. That of a session gets its token. */
export function authorizationOf(headers: Headers): string | null {
  const sent = headers.get('authorization');
  const key = bytesOf(KEY.exec(sent ?? '')?.[1]);
  const half = key && bytesOf(readCookie(headers));
  return key === undefined || half === undefined
    ? sent
    : `Bearer tc_${both(half, key).toString('base64url')}`;
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

function bytesOf(text: string | undefined): Buffer | undefined {
  const bytes = text === undefined ? undefined : Buffer.from(text, 'base64url');
  return bytes?.length === TOKEN_BYTES ? bytes : undefined;
}

/** Joins two halves, and takes one off: it is its own inverse. */
function both(one: Buffer, other: Buffer): Buffer {
  return Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)));
}
