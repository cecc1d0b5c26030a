/** Tests of the page's credential, with the stores of a browser in memory and a server that counts sessions. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

/** The module uses globals of browsers, which the types of this project leave out. */
interface Credential {
  takeLink(this: void): Promise<string> | undefined;
  takePasted(this: void, text: string, life: { readonly isKept: boolean }): Promise<string>;
  readToken(this: void): string | undefined;
  tabToken(this: void): string | undefined;
}
const MODULE = new URL('../../web/src/session/access-token.ts', import.meta.url).href;
const { readToken, tabToken, takeLink, takePasted } = (await import(MODULE)) as Credential;

const SESSION_KEY = 'truecast-session';
const codeOf = (letter: string): string => `tcl_${letter.repeat(43)}`;
const tokenOf = (letter: string): string => `tc_${letter.repeat(43)}`;

let calls: string[] = [];
/** Keys that the server accepts, with the cookie. */
let accepted: string[] = [];
/** Codes that were used. */
let spent: string[] = [];

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

let address = '';

/** Opens a tab of the browser, with the code of a link. */
async function openTab(hash = ''): Promise<string | undefined> {
  address = `/${hash}`;
  vi.stubGlobal('sessionStorage', storage());
  vi.stubGlobal('location', { hash, pathname: '/', search: '' });
  return takeLink();
}

const answer: typeof fetch = async (input, init) => {
  const path = input instanceof Request ? input.url : String(input);
  calls.push(path);
  const bearer = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? '';
  if (path === '/api/me') return new Response('{}', { status: accepted.includes(bearer) ? 200 : 401 });
  if (spent.includes(bearer)) return new Response('{}', { status: 401 });
  if (bearer.startsWith('tcl_')) spent.push(bearer);
  const key = bearer.replace(/^tcl?_/u, 'tcs_');
  accepted = [key];
  return Response.json({ key }, { status: 201 });
};

beforeEach(() => {
  calls = [];
  accepted = [];
  spent = [];
  browserStore = storage();
  vi.stubGlobal('localStorage', browserStore);
  vi.stubGlobal('history', {
    replaceState: (_state: unknown, _title: string, next: string) => void (address = next),
  });
  vi.stubGlobal('fetch', answer);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const sessionKey = (): string | null => browserStore.getItem(SESSION_KEY);

it('opens a session for a link in a browser without one, also if only the key of an ended one is left', async () => {
  expect(await openTab(`#code=${codeOf('a')}`)).toBe('opened');
  expect([sessionKey(), address]).toEqual([`tcs_${'a'.repeat(43)}`, '/']);
  // The browser was closed: its cookie is gone.
  accepted = [];
  expect(await openTab(`#code=${codeOf('b')}`)).toBe('opened');
  expect(sessionKey()).toBe(`tcs_${'b'.repeat(43)}`);
  expect(calls).toEqual(['/api/session', '/api/me', '/api/session']);
  expect(tabToken()).toBeUndefined();
});

it('keeps the session of a browser when a link of another person is opened, and does not use its code', async () => {
  await openTab(`#code=${codeOf('a')}`);
  expect(await openTab(`#code=${codeOf('b')}`)).toBe('unneeded');
  expect(calls).toEqual(['/api/session', '/api/me']);
  expect([readToken(), spent, address]).toEqual([`tcs_${'a'.repeat(43)}`, [codeOf('a')], '/']);
});

it('opens nothing for a used code, and removes it from the address', async () => {
  spent = [codeOf('a')];
  expect(await openTab(`#code=${codeOf('a')}`)).toBe('spent');
  expect([readToken(), address]).toEqual([undefined, '/']);
});

it('keeps the session, and the code in the address, if the server cannot be reached', async () => {
  const away = vi.fn<typeof fetch>(() => Promise.reject(new TypeError('fetch failed')));
  vi.stubGlobal('fetch', away);
  const link = `#code=${codeOf('b')}`;
  expect(await openTab(link)).toBe('unreachable');
  browserStore.setItem(SESSION_KEY, 'tcs_old');
  expect(await openTab(link)).toBe('unreachable');
  expect([away.mock.calls.length, sessionKey(), address]).toEqual([2, 'tcs_old', `/${link}`]);
});

it('ignores a token and other texts in the address', () => {
  for (const hash of [`#token=${tokenOf('a')}`, `#code=${tokenOf('a')}`, `#code=${codeOf('a')}&x`, '#x']) {
    vi.stubGlobal('location', { hash, pathname: '/', search: '' });
    expect(takeLink()).toBeUndefined();
  }
});

it('replaces the session with that of a pasted token or link', async () => {
  await openTab(`#code=${codeOf('a')}`);
  expect(await takePasted(` http://127.0.0.1:1/#code=${codeOf('b')} `, { isKept: true })).toBe('opened');
  expect([sessionKey(), tabToken()]).toEqual([`tcs_${'b'.repeat(43)}`, undefined]);
  expect(await takePasted(codeOf('b'), { isKept: true })).toBe('spent');
  expect(await takePasted('http://127.0.0.1:1/', { isKept: true })).toBe('wrong');
  expect(await takePasted(tokenOf('c'), { isKept: true })).toBe('opened');
  await vi.waitFor(() => expect(sessionKey()).toBe(`tcs_${'c'.repeat(43)}`));
  expect(tabToken()).toBe(tokenOf('c'));
  expect(calls).toEqual(Array.from({ length: 4 }, () => '/api/session'));
});
