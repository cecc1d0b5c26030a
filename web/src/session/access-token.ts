/**
 * Access token of the page: read from the fragment, and stored for the session or in the browser.
 */

const KEY = 'truecast-token';
const TOKEN = /^[\w-]{8,200}$/u;

/** Moves a token from the address into the session, before the first request. */
export function takeToken(): void {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given === null) return;
  if (TOKEN.test(given)) sessionStorage.setItem(KEY, given);
  history.replaceState(null, '', location.pathname + location.search);
}

/** Returns the token. Undefined if no valid token is stored. */
export function readToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? undefined;
}

/** Keeps a pasted token. Returns false if the text cannot be a token. */
export function keepToken(text: string, { isKept }: { readonly isKept: boolean }): boolean {
  const token = text.trim().replace(/^.*#token=/u, '');
  if (!TOKEN.test(token)) return false;
  sessionStorage.setItem(KEY, token);
  if (isKept) localStorage.setItem(KEY, token);
  return true;
}

/** Removes the token, so that the page requests another one. */
export function dropToken(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}
