/** Tests of sign-in codes over real HTTP: each opens one session, through any process of a database. */
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '@truecast/store/internal/open-store';
import type { SessionCodeView, SessionView } from '@truecast/client/internal/wire/account';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { createChatMachine } from '../state/chat-machine.ts';
import { expiredDataCleaner } from '../state/retention.ts';
import { revokeToken } from '../tokens/token-rows.ts';
import { issueToken } from '../tokens/access-token.ts';
import { startServer, type TestAnswer, type TestServer } from './test-server.ts';

describeOnBothStores('a sign-in code', ({ freshUrl }) => {
  let url = '';
  let server: TestServer;
  beforeAll(async () => {
    url = await freshUrl();
    server = await startServer({ url });
  });
  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  async function create(token = server.token): Promise<SessionCodeView> {
    const answer = await server.ask('POST', '/api/session_codes', { token });
    expect(answer.status).toBe(201);
    return JSON.parse(answer.text) as SessionCodeView;
  }
  const exchange = (code: string, at = server): Promise<TestAnswer> =>
    at.ask('POST', '/api/session', { token: code, body: {} });
  const keyOf = ({ text }: TestAnswer): string => (JSON.parse(text) as SessionView).key;
  const cookieOf = ({ headers }: TestAnswer): string => headers.get('set-cookie')?.split(';')[0] ?? '';
  const rows = () => server.store.db.selectFrom('sign_in_codes').selectAll().execute();

  it('opens one session with the rights of its token, and no second one', async () => {
    const { code, expires_at: expiry } = await create();
    expect(code).toMatch(/^tcl_[\w-]{43}$/u);
    expect(Math.abs(Date.parse(expiry) - Date.now() - 600_000)).toBeLessThan(60_000);
    const opened = await exchange(code);
    expect(opened.status).toBe(201);
    const me = { token: keyOf(opened), headers: { cookie: cookieOf(opened) } };
    expect((await server.ask('GET', '/api/me', me)).text).toContain('"token_name":"one"');
    const again = await exchange(code);
    expect([again.status, again.json.code]).toEqual([401, 'unauthorized']);
    expect(again.json.detail).toContain('`truecast link`');
    expect(again.headers.has('set-cookie')).toBe(false);
    expect(await rows()).toEqual([]);
  });

  it('opens one of many sessions that are requested at once from two processes', async () => {
    const store = await openStore({ url });
    const other = await startServer({ store, machine: createChatMachine({ store }) });
    onTestFinished(() => other.close());
    for (let turn = 0; turn < 5; turn += 1) {
      const { code } = await create();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => exchange(code, index % 2 === 0 ? server : other)),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(7);
    }
  });

  it('is stored so that a copy of the database contains neither the code nor the token', async () => {
    const { code } = await create();
    const kept = JSON.stringify(await rows());
    expect(kept).not.toContain(code.slice(4));
    expect(kept).not.toContain(server.token.slice(3));
    expect((await exchange(code)).status).toBe(201);
  });

  it('is refused by all other routes, which do not use it', async () => {
    const { code } = await create();
    const others = [
      ['GET', '/api/me'],
      ['GET', '/api/chats'],
      ['POST', '/api/chats'],
      ['POST', '/api/session_codes'],
      ['DELETE', '/api/session'],
      ['GET', '/metrics'],
      ['POST', '/v1/chat/completions'],
    ] as const;
    for (const [method, path] of others) {
      expect((await server.ask(method, path, { token: code })).status, path).toBe(401);
    }
    expect((await server.ask('GET', '/api/shared_receipt', { token: code })).status).toBe(404);
    expect((await exchange(code)).status).toBe(201);
  });

  it('has one answer for all guesses', async () => {
    const { code } = await create();
    const guesses = [
      `${code.slice(0, -1)}${code.endsWith('A') ? 'E' : 'A'}`,
      `tcl_${'A'.repeat(43)}`,
      `tcl_${server.token.slice(3)}`,
    ];
    const answers = await Promise.all(guesses.map((guess) => exchange(guess)));
    expect(answers.map(({ status }) => status)).toEqual(guesses.map(() => 401));
    expect(new Set(answers.map(({ json }) => json.detail))).toHaveLength(1);
    expect((await exchange(code.replace('tcl_', 'tc_'))).status).toBe(401);
    expect((await exchange(code)).status).toBe(201);
  });

  it('expires, and expired ones are deleted by the next one and by the retention', async () => {
    const { code } = await create();
    vi.setSystemTime(Date.now() + 600_001);
    onTestFinished(() => void vi.useRealTimers());
    expect((await exchange(code)).status).toBe(401);
    expect(await rows()).toHaveLength(1);
    await create();
    expect(await rows()).toHaveLength(1);
    vi.setSystemTime(Date.now() + 600_001);
    const machine = { store: server.store, now: () => Date.now() } as Parameters<
      typeof expiredDataCleaner
    >[0];
    await expiredDataCleaner(machine)();
    expect(await rows()).toEqual([]);
  });

  it('opens nothing after its token is revoked', async () => {
    const { token, id } = await issueToken(server.store, { name: 'page' });
    const { code } = await create(token);
    await revokeToken(server.store, id, Date.now(), 'test');
    expect((await exchange(code)).status).toBe(401);
  });

  it('is created for a token alone, and not for the session of a browser', async () => {
    const opened = await server.ask('POST', '/api/session', { body: {} });
    const session = { token: keyOf(opened), headers: { cookie: cookieOf(opened) } };
    expect((await server.ask('GET', '/api/me', session)).status).toBe(200);
    const refused = await server.ask('POST', '/api/session_codes', session);
    expect([refused.status, refused.json.code]).toEqual([400, 'invalid_body']);
    expect((await server.ask('POST', '/api/session_codes', { token: null })).status).toBe(401);
  });
});
