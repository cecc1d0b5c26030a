/**
 * Credential of the page. The code of a link, or a pasted token, opens a session of the browser, whose cookie no
 * script can read, so that other tabs of this origin need neither. A pasted token is kept in its tab.
 */
import type { SessionView } from '@truecast/client/internal/wire/account';
import { watchedFetch } from './connection.ts';

const TOKEN_KEY = 'truecast-token';
const SESSION_KEY = 'truecast-session';
const TOKEN = /^[\w-]{8,200}$/u;

/** What became of a link: its code opened a session, was used before, met a session, or no server answered. */
export type LinkOutcome = 'opened' | 'spent' | 'unneeded' | 'unreachable';

/**
 * Exchanges the code in the address for a session of the browser, before the first request. A browser with a
 * session keeps it, and the code: a link of another person must not sign this browser in to their account.
 * Undefined without a code. The code stays in the address until it is decided, so that a reload tries it again.
 */
export function takeLink(): Promise<LinkOutcome> | undefined {
  const code = codeIn(location.hash);
  return code === undefined ? undefined : openLink(code);
}

async function openLink(code: string): Promise<LinkOutcome> {
  const outcome = await decide(code);
  if (outcome !== 'unreachable') history.replaceState(null, '', location.pathname + location.search);
  return outcome;
}

async function decide(code: string): Promise<LinkOutcome> {
  const has = await hasSession();
  if (has !== 'no') return has === 'yes' ? 'unneeded' : 'unreachable';
  return exchange(code, { isKept: false });
}

function codeIn(text: string): string | undefined {
  return /#code=(tcl_[\w-]{43})$/u.exec(text)?.[1];
}

/** Returns the token that was pasted into this tab. Undefined in a tab that only has the session of the browser. */
export function tabToken(): string | undefined {
  return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
}

/** Returns what this page sends as a bearer token. Undefined if it has nothing. */
export function readToken(): string | undefined {
  return tabToken() ?? localStorage.getItem(SESSION_KEY) ?? undefined;
}

/** What became of a pasted text. `wrong`: it can be neither a token nor a link. */
export type PasteOutcome = Exclude<LinkOutcome, 'unneeded'> | 'wrong';

/** Opens a session with a pasted link or token, also instead of another one. */
export async function takePasted(text: string, life: SessionLife): Promise<PasteOutcome> {
  const pasted = text.trim();
  const code = codeIn(pasted) ?? codeIn(`#code=${pasted}`);
  if (code !== undefined) return exchange(code, life);
  if (!TOKEN.test(pasted)) return 'wrong';
  sessionStorage.setItem(TOKEN_KEY, pasted);
  // The server refuses a token of an identity provider. This tab has its token: only other ones will ask for one.
  if (pasted.startsWith('tc_')) void exchange(pasted, life);
  return 'opened';
}

interface SessionLife {
  /** True for 30 days, otherwise until the browser is closed. */
  readonly isKept: boolean;
}

/** Asks the server, because the key stays in the browser after its cookie is gone. */
async function hasSession(): Promise<'yes' | 'no' | 'unreachable'> {
  const credential = readToken();
  if (credential === undefined) return 'no';
  try {
    const answer = await watchedFetch('/api/me', { headers: { authorization: `Bearer ${credential}` } });
    return answer.status === 401 ? 'no' : 'yes';
  } catch {
    return 'unreachable';
  }
}

/** Opens a session of the browser for a code, or for a token, so that other tabs need none. */
async function exchange(
  credential: string,
  { isKept }: SessionLife,
): Promise<Exclude<PasteOutcome, 'wrong'>> {
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  try {
    const body = JSON.stringify({ keep: isKept });
    const answer = await watchedFetch('/api/session', { method: 'POST', headers, body });
    const { key } = (await answer.json()) as Partial<SessionView>;
    if (answer.status === 401) return 'spent';
    if (!answer.ok || key === undefined) return 'unreachable';
    localStorage.setItem(SESSION_KEY, key);
    return 'opened';
  } catch {
    return 'unreachable';
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
