/** Tests of sessions of a browser: both halves are needed, and neither is the token. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CreateSessionBody } from '@truecast/client/internal/wire/account';
import { revokeToken } from '../tokens/token-rows.ts';
import { adoptToken, issueToken } from '../tokens/access-token.ts';
import { startServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

interface Session {
  readonly key: string;
  readonly cookie: string;
  readonly header: string;
}

async function open(
  token: string,
  body: CreateSessionBody = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Session> {
  const answer = await server.ask('POST', '/api/session', { token, body, headers });
  expect(answer.status).toBe(201);
  const header = answer.headers.get('set-cookie') ?? '';
  const { key } = JSON.parse(answer.text) as { readonly key: string };
  return { key, header, cookie: header.split(';')[0] ?? '' };
}

const statusOf = async (token: string, cookie?: string, method = 'GET', path = '/api/me'): Promise<number> =>
  (await server.ask(method, path, { token, ...(cookie !== undefined && { headers: { cookie } }) })).status;

it('has the rights of its token with both halves, and none with one of them', async () => {
  const { key, cookie } = await open(server.token);
  expect(await statusOf(key, cookie)).toBe(200);
  expect(await statusOf(key, `theme=dark; ${cookie}; other=1`)).toBe(200);
  expect(await statusOf(key)).toBe(401);
  expect((await server.ask('GET', '/api/me', { token: null, headers: { cookie } })).status).toBe(401);
  const other = await open(server.token);
  expect(other.key).not.toBe(key);
  expect(await statusOf(other.key, cookie)).toBe(401);
  expect(await statusOf(key, cookie, 'GET', '/metrics')).toBe(
    await statusOf(server.token, undefined, 'GET', '/metrics'),
  );
});

it('repeats no part of the token', async () => {
  const { key, header } = await open(server.token);
  expect(`${key} ${header}`).not.toContain(server.token.slice(3, 9));
});

it('has a cookie that scripts and other sites cannot use, and that ends with the browser', async () => {
  const { header } = await open(server.token);
  const port = new URL(server.url).port;
  expect(header).toMatch(
    new RegExp(`^truecast_session_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`, 'u'),
  );
  expect((await open(server.token, { keep: true })).header).toMatch(/; Max-Age=2592000$/u);
  const secure = await open(server.token, {}, { origin: server.url.replace('http:', 'https:') });
  expect(secure.header).toMatch(/; SameSite=Strict; Secure$/u);
  const ended = await server.ask('DELETE', '/api/session');
  expect([ended.status, ended.headers.get('set-cookie')]).toEqual([
    204,
    `truecast_session_${port}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`,
  ]);
});

it.each(['x', '_', 'A', '9'])(
  'opens for a token that the operator chose and that ends with %s',
  async (end) => {
    const token = `tc_${'chosen-by-an-operator-'.repeat(2).slice(0, 42)}${end}`;
    await adoptToken(server.store, { name: 'chosen' }, { token, actor: 'test' });
    const { key, cookie } = await open(token);
    expect(await statusOf(key, cookie)).toBe(200);
  },
);

it('is renewed by itself, and ends with its token', async () => {
  const { token, id } = await issueToken(server.store, { name: 'page', scopes: ['chats'] });
  const { key, cookie } = await open(token);
  const renewed = await open(key, {}, { cookie });
  expect(await statusOf(renewed.key, renewed.cookie)).toBe(200);
  expect(await statusOf(key, renewed.cookie)).toBe(401);
  await revokeToken(server.store, id, Date.now(), 'test');
  expect(await statusOf(token)).toBe(401);
  expect(await statusOf(renewed.key, renewed.cookie)).toBe(401);
});
