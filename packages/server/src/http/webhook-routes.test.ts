/** Routes of webhooks over real HTTP: the secret, deliveries, and addresses that are refused. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { openStore } from '@truecast/store/internal/open-store';
import { createRunMachine, type RunMachine } from '../runs/state/run-machine.ts';
import { OFFERS } from '../runs/state/test-runs.ts';
import { issueToken } from '../tokens/access-token.ts';
import { startServer, type TestServer } from './test-server.ts';

const BODY = { repository: 'web', agent: 'claude-code', prompt: 'Fix it.' };
const URL_OF_HOOK = 'https://ci.example.com/hook';
const anyJson = z.record(z.string(), z.any());

describeOnBothStores('webhooks over HTTP', ({ freshUrl }) => {
  let server: TestServer;
  let agentRuns: RunMachine;
  let token = '';
  let foreign = '';

  beforeAll(async () => {
    const store = await openStore({ url: await freshUrl() });
    agentRuns = createRunMachine({ store, webhookKey: 'k'.repeat(32) });
    server = await startServer({ store, agentRuns, runOffers: OFFERS });
    ({ token } = await issueToken(store, { name: 'runs', owner: 'anna', scopes: ['runs'] }));
    ({ token: foreign } = await issueToken(store, { name: 'runs', owner: 'ben', scopes: ['runs'] }));
  });
  afterAll(() => server.close());

  async function ask(
    method: string,
    path: string,
    { body, as = token }: { body?: object; as?: string } = {},
  ) {
    const options = { token: as, ...(body !== undefined && { body }) };
    const { status, text } = await server.ask(method, `/api${path}`, options);
    return { status, json: anyJson.parse(JSON.parse(text)) };
  }

  it('a run that ends has one delivery, which its owner sees and sends again', async () => {
    const created = await ask('POST', '/runs', { body: { ...BODY, webhook: { url: URL_OF_HOOK } } });
    const id = created.json['id'] as string;
    expect((await ask('GET', `/runs/${id}/deliveries`)).json).toEqual({ deliveries: [] });
    await ask('POST', `/runs/${id}/cancel`);
    const { json } = await ask('GET', `/runs/${id}/deliveries`);
    expect(json).toMatchObject({ deliveries: [{ url: URL_OF_HOOK, status: 'pending', tries: 0 }] });
    const [{ id: deliveryId }] = json['deliveries'] as [{ id: string }];
    const again = `/runs/${id}/deliveries/${deliveryId}/redeliver`;
    expect((await ask('POST', again)).json).toMatchObject({ status: 409, code: 'not_allowed' });
    const [row] = await agentRuns.listDeliveries({ owner: 'anna', runId: id });
    await server.store.db.updateTable('webhook_deliveries').set({ status: 'failed', tries: 10 }).execute();
    expect(JSON.parse(row?.body ?? '')).toMatchObject({ type: 'run.canceled', data: { metadata: {} } });
    expect((await ask('POST', again)).json).toMatchObject({ status: 'pending', tries: 0 });
    for (const [method, path] of [
      ['GET', `/runs/${id}/deliveries`],
      ['POST', again],
    ] as const) {
      expect((await ask(method, path, { as: foreign })).json).toMatchObject({ code: 'not_found' });
    }
  });

  it('each owner has a secret, and a rotation keeps the one before for a day', async () => {
    const { json: first } = await ask('GET', '/webhooks/secret');
    expect(first).toEqual({ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/u) as string });
    expect((await ask('GET', '/webhooks/secret', { as: foreign })).json).not.toEqual(first);
    const { json: second } = await ask('POST', '/webhooks/secret/rotate');
    expect(second).toMatchObject({ previous_secret: first['secret'] });
    expect(second['secret']).not.toBe(first['secret']);
    expect((await ask('GET', '/webhooks/secret')).json).toEqual(second);
    await server.store.db.updateTable('webhook_secrets').set({ rotated_at: 1 }).execute();
    expect((await ask('GET', '/webhooks/secret')).json).toEqual({ secret: second['secret'] });
  });

  it.each(['ftp://ci.example.com', 'https://user:word@ci.example.com/', 'hook'])(
    'refuses %s',
    async (url) => {
      const { status, json } = await ask('POST', '/runs', { body: { ...BODY, webhook: { url } } });
      expect([status, json['field']]).toEqual([400, 'webhook']);
    },
  );
});

it('a server without a key refuses webhooks, and says what to set', async () => {
  await using closing = new AsyncDisposableStack();
  const server = await startServer({ runOffers: OFFERS });
  closing.defer(() => server.close());
  const { token } = await issueToken(server.store, { name: 'runs', scopes: ['runs'] });
  const body = { ...BODY, webhook: { url: URL_OF_HOOK } };
  const refused = await server.ask('POST', '/api/runs', { token, body });
  expect(refused.status).toBe(404);
  expect(refused.text).toContain('Set `TRUECAST_WEBHOOK_KEY` in its environment');
});
