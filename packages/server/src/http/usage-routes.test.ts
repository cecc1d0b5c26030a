/** Use of quotas over HTTP: an owner's own, and any owner's for an admin. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UsageView } from '@truecast/client/internal/wire/account';
import { NO_USAGE } from '@truecast/core/internal/kit/usage';
import { openStore } from '@truecast/store/internal/open-store';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { createChatMachine } from '../state/chat-machine.ts';
import { issueToken } from '../tokens/access-token.ts';
import { settleTurn, startServer, type TestServer } from './test-server.ts';

const NOON = Date.UTC(2026, 10, 23, 12);
const OWNER = 'oidc:anna/b';
const LIMITS = { turns: 3, tokens: 100, costUsd: 2, chats: 5, concurrentTurns: 2 };

describeOnBothStores('the use of quotas', ({ freshUrl }) => {
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    const store = await openStore({ url: await freshUrl() });
    const quotas = { period: 'month', owners: { [OWNER]: LIMITS } } as const;
    server = await startServer({ store, machine: createChatMachine({ store, now: () => NOON, quotas }) });
    ({ token } = await issueToken(store, { name: 'anna', owner: OWNER }));
  });
  afterAll(() => server.close());

  const read = async (path: string, as: string): Promise<UsageView> =>
    JSON.parse((await server.ask('GET', path, { token: as })).text) as UsageView;

  it('is read by its owner, and by an admin for any owner', async () => {
    const create = () => server.ask('POST', '/api/chats', { token, body: { content: 'x' } });
    const { json } = await create();
    await settleTurn(server.machine, json.chat.id, 'y');
    await server.machine.chargeCall(OWNER, { ...NO_USAGE, inputTokens: 7, outputTokens: 3, costUsd: 0.25 });
    await create();
    await create();
    expect((await create()).status).toBe(402);
    const usage = await read('/api/usage', token);
    expect(usage).toEqual({
      owner: OWNER,
      period: { name: 'month', resets_at: '2026-12-01T00:00:00.000Z', turns: 3, tokens: 10, cost_usd: 0.25 },
      chats: 3,
      concurrent_turns: 2,
      limits: { turns: 3, tokens: 100, cost_usd: 2, chats: 5, concurrent_turns: 2 },
    });
    const { token: admin } = await issueToken(server.store, { name: 'root', scopes: ['admin'] });
    expect(await read(`/api/usage/${encodeURIComponent(OWNER)}`, admin)).toEqual(usage);
    expect((await server.ask('GET', '/api/usage/anyone', { token })).status).toBe(404);
  });

  it('has no period for an owner without a quota', async () => {
    await server.ask('POST', '/api/chats', { token: server.otherToken, body: { content: 'x' } });
    const usage = await read('/api/usage', server.otherToken);
    expect(usage).toEqual({ owner: usage.owner, chats: 1, concurrent_turns: 1, limits: {} });
  });
});
