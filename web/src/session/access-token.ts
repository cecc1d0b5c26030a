/**
 * Credential of the page. A token is read from the fragment, and kept in this tab. It opens a session of
 * the browser, whose cookie no script can read, so that other tabs of this origin need no token.
 */
import type { SessionView } from '@truecast/client/internal/wire/account';
import { watchedFetch } from './connection.ts';

const TOKEN_KEY = 'truecast-token';
const SESSION_KEY = 'truecast-session';
const TOKEN = /^[\w-]{8,200}$/u;

/**
 * Moves a token from the address into the tab, before the first request. It opens a session only in a browser
 * without one: a link of another person must not sign this browser in to their account.
 */
export function takeToken(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (putToken(given)) void signInNewBrowser();
}

/** Returns the token of this tab. Undefined in a tab that only has the session of the browser. */
export function tabToken(): string | undefined {
  return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
}

/** Returns what this page sends as a bearer token. Undefined if it has nothing. */
export function readToken(): string | undefined {
  return tabToken() ?? localStorage.getItem(SESSION_KEY) ?? undefined;
}

/** Keeps a pasted token, and opens its session, also instead of another. Returns false if the text cannot be a token. */
export function keepToken(text: string, life: SessionLife): boolean {
  const isToken = putToken(text);
  if (isToken) void signInTabs(life);
  return isToken;
}

function putToken(text: string): boolean {
  const token = text.trim().replace(/^.*#token=/u, '');
  if (!TOKEN.test(token)) return false;
  sessionStorage.setItem(TOKEN_KEY, token);
  return true;
}

interface SessionLife {
  /** True for 30 days, otherwise until the browser is closed. */
  readonly isKept: boolean;
}

async function signInNewBrowser(): Promise<void> {
  if (!(await hasSession())) await signInTabs({ isKept: false });
}

/** Asks the server, because the key stays in the browser after its cookie is gone. */
async function hasSession(): Promise<boolean> {
  const key = localStorage.getItem(SESSION_KEY);
  if (key === null) return false;
  try {
    const answer = await watchedFetch('/api/me', { headers: { authorization: `Bearer ${key}` } });
    return answer.status !== 401;
  } catch {
    return true;
  }
}

/** Opens a session of the browser for the token of this tab, so that its other tabs need none. */
async function signInTabs({ isKept }: SessionLife): Promise<void> {
  const token = tabToken();
  // The server refuses a token of an identity provider.
  if (token?.startsWith('tc_') !== true) return;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  try {
    const body = JSON.stringify({ keep: isKept });
    const answer = await watchedFetch('/api/session', { method: 'POST', headers, body });
    const { key } = (await answer.json()) as Partial<SessionView>;
    if (answer.ok && key !== undefined) localStorage.setItem(SESSION_KEY, key);
  } catch {
    // This tab has its token. Only other tabs will request one.
  }
}

/** Removes the refused credential: the token of this tab, or else the session. */
export function dropToken(): void {
  if (tabToken() === undefined) localStorage.removeItem(SESSION_KEY);
  sessionStorage.removeItem(TOKEN_KEY);
}

/** Ends the session of the browser, and loads the page that requests a token. */
export async function signOut(): Promise<void> {
  const headers = { authorization: `Bearer ${readToken() ?? ''}` };
  // Without its key, the cookie is of no use.
  await watchedFetch('/api/session', { method: 'DELETE', headers }).catch(() => undefined);
  sessionStorage.removeItem(TOKEN_KEY);
  localStorage.removeItem(SESSION_KEY);
  location.assign('/');
}
