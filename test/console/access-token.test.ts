/** Tests of the page's credential, with the stores of a browser in memory and a server that counts sessions. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

/** The module uses globals of browsers, which the types of this project leave out. */
interface Credential {
  takeToken(this: void): void;
  keepToken(this: void, text: string, life: { readonly isKept: boolean }): boolean;
  readToken(this: void): string | undefined;
  tabToken(this: void): string | undefined;
}
const MODULE = new URL('../../web/src/session/access-token.ts', import.meta.url).href;
const { keepToken, readToken, tabToken, takeToken } = (await import(MODULE)) as Credential;

const SESSION_KEY = 'truecast-session';
const tokenOf = (letter: string): string => `tc_${letter.repeat(43)}`;

let calls: string[] = [];
/** Keys that the server accepts, with the cookie. */
let accepted: string[] = [];

interface TextStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}
let browserStore: TextStore;

function storage(): TextStore {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

/** Opens a tab of the browser, with a link's token. */
function openTab(hash = ''): void {
  vi.stubGlobal('sessionStorage', storage());
  vi.stubGlobal('location', { hash, pathname: '/', search: '' });
  takeToken();
}

const answer: typeof fetch = async (input, init) => {
  const path = input instanceof Request ? input.url : String(input);
  calls.push(path);
  const bearer = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? '';
  if (path === '/api/me') return new Response('{}', { status: accepted.includes(bearer) ? 200 : 401 });
  const key = bearer.replace('tc_', 'tcs_');
  accepted = [key];
  return Response.json({ key }, { status: 201 });
};

beforeEach(() => {
  calls = [];
  accepted = [];
  browserStore = storage();
  vi.stubGlobal('localStorage', browserStore);
  vi.stubGlobal('history', { replaceState: () => undefined });
  vi.stubGlobal('fetch', answer);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const sessionKey = (): string | null => browserStore.getItem(SESSION_KEY);

it('opens a session for a link in a browser without one, also if only the key of an ended one is left', async () => {
  openTab(`#token=${tokenOf('a')}`);
  await vi.waitFor(() => expect(sessionKey()).toBe(`tcs_${'a'.repeat(43)}`));
  // The browser was closed: its cookie is gone.
  accepted = [];
  openTab(`#token=${tokenOf('b')}`);
  await vi.waitFor(() => expect(sessionKey()).toBe(`tcs_${'b'.repeat(43)}`));
  expect(calls).toEqual(['/api/session', '/api/me', '/api/session']);
});

it('keeps the session of a browser when a link of another person is opened, and uses its token in that tab', async () => {
  openTab(`#token=${tokenOf('a')}`);
  await vi.waitFor(() => expect(sessionKey()).not.toBeNull());
  openTab(`#token=${tokenOf('b')}`);
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  // Time for a session that must not be opened.
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls).toEqual(['/api/session', '/api/me']);
  expect(readToken()).toBe(tokenOf('b'));
  openTab();
  expect([tabToken(), readToken()]).toEqual([undefined, `tcs_${'a'.repeat(43)}`]);
});

it('keeps the session if the server cannot be reached', async () => {
  browserStore.setItem(SESSION_KEY, 'tcs_old');
  const away = vi.fn<typeof fetch>(() => Promise.reject(new TypeError('fetch failed')));
  vi.stubGlobal('fetch', away);
  openTab(`#token=${tokenOf('b')}`);
  await new Promise((resolve) => setImmediate(resolve));
  expect([away.mock.calls.length, sessionKey()]).toEqual([1, 'tcs_old']);
});

it('replaces the session with that of a pasted token', async () => {
  openTab(`#token=${tokenOf('a')}`);
  await vi.waitFor(() => expect(sessionKey()).not.toBeNull());
  expect(keepToken(`http://127.0.0.1:1/#token=${tokenOf('b')}`, { isKept: true })).toBe(true);
  await vi.waitFor(() => expect(sessionKey()).toBe(`tcs_${'b'.repeat(43)}`));
  expect(calls).toEqual(['/api/session', '/api/session']);
});
