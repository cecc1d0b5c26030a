import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { issueToken } from '../tokens/access-token.ts';
import { createChatMachine } from '../state/chat-machine.ts';
import { createRunMachine } from '../runs/state/run-machine.ts';
import { OFFERS, runRequest } from '../runs/state/test-runs.ts';
import { listAudit } from './audit-list.ts';
import { listTokens } from '../tokens/token-rows.ts';
import { userMessage } from '../state/test-chats.ts';
import { eraseOwner, exportOwner } from './owner-data.ts';

/** Tables from which an erasure removes each row of the owner. */
const OWNED = [
  'agent_batches',
  'agent_runs',
  'idempotency_keys',
  'receipt_shares',
  'webhook_deliveries',
  'webhook_secrets',
] as const;
const deliveryOf = (runId: string) => ({
  id: 'msg_1',
  run_id: runId,
  owner: 'anna',
  url: 'https://hook.invalid/',
  body: '{}',
  status: 'pending',
  tries: 0,
  next_at: 1,
  created_at: 1,
  tried_at: null,
  answer_status: null,
  error: null,
});

describeOnBothStores('the data of an owner', (fixture) => {
  it('is exported as one JSON object, without data of other owners', async () => {
    const store = await fixture.open();
    const machine = createChatMachine({ store });
    for (const owner of ['anna', 'ben']) {
      await issueToken(store, { name: 'ci', owner });
      for (let chat = 0; chat < 51; chat += 1) {
        await machine.createChat({ owner, model: 'm', message: userMessage(`from ${owner} ${chat}`) });
      }
    }
    const requestId = crypto.randomUUID();
    const asked = await machine.createChat({
      owner: 'anna',
      model: 'm',
      message: userMessage('a value', requestId),
    });
    const gone = await machine.createChat({ owner: 'anna', model: 'm', message: userMessage('gone') });
    await machine.deleteChat({ owner: 'anna', chatId: gone.chat.id });

    for (const owner of ['anna', 'ben']) {
      await createRunMachine({ store }).createRun({
        owner,
        request: runRequest({ prompt: `run from ${owner}` }),
      });
    }
    const runs = createRunMachine({ store });
    for (const owner of ['anna', 'ben']) {
      const { prompt: _prompt, ...request } = runRequest({ metadata: { of: owner } });
      await runs.createBatch({ owner, name: `batch from ${owner}`, request });
    }
    const share = { id: 's1', owner: 'anna', chat_id: asked.chat.id, request_id: requestId };
    await store.db
      .insertInto('receipt_shares')
      .values({ ...share, hash: 'h1', created_at: 1, expires_at: 2 })
      .execute();
    const [exported] = (await runs.listRuns({ owner: 'anna', limit: 1 })).runs;
    const log = { run_id: exported?.id ?? '', name: 'log', part: 0, media_type: 'text/plain', source: null };
    await store.db
      .insertInto('agent_run_blobs')
      .values({ ...log, omitted: 0, bytes: Buffer.from('Hi.') })
      .execute();
    await store.db
      .insertInto('webhook_deliveries')
      .values(deliveryOf(exported?.id ?? ''))
      .execute();
    let text = '';
    for await (const piece of exportOwner(store, { owner: 'anna', actor: 'command' })) text += piece;
    const data = JSON.parse(text) as Readonly<
      Record<'batches' | 'chats' | 'runs' | 'share_links' | 'tokens', readonly Record<string, unknown>[]>
    >;
    expect(data).toMatchObject({ owner: 'anna', tokens: [{ name: 'ci', owner: 'anna' }] });
    // As on the wire.
    expect(text).toMatch(/"created_at":"[\d-]+T/u);
    expect(Object.keys(data.tokens[0] ?? {})).toEqual(['id', 'owner', 'name', 'scopes', 'created_at']);
    expect(data.chats).toHaveLength(53);
    expect(data.chats.find(({ id }) => id === asked.chat.id)).toMatchObject({
      is_deleted: false,
      messages: [{ role: 'user', visibility: 'all', is_deleted: false }],
      requests: [{ request_id: requestId, status: 'running', schema_text: '{"type":"object"}' }],
    });
    expect(data.chats.find(({ id }) => id === gone.chat.id)).toMatchObject({
      is_deleted: true,
      messages: [],
    });
    expect(text).toContain('from anna 50');
    expect(data.runs).toMatchObject([
      {
        status: 'queued',
        prompt: 'run from anna',
        artifacts: [{ name: 'log', media_type: 'text/plain', size: 3 }],
        deliveries: [{ url: 'https://hook.invalid/', status: 'pending' }],
      },
    ]);
    expect(data.batches).toMatchObject([{ name: 'batch from anna', request: { metadata: { of: 'anna' } } }]);
    expect(data.share_links).toMatchObject([{ request_id: requestId }]);
    expect(Object.keys(data.share_links[0] ?? {})).toEqual(['id', 'request_id', 'created_at', 'expires_at']);
    expect(text).not.toContain('from ben');
    expect(text).not.toMatch(/"hash":/u);
    const [audit] = await listAudit(store.db, { owner: 'anna', limit: 1 });
    expect(audit).toMatchObject({
      action: 'owner_exported',
      actor: 'command',
      detail: { chats: 53, runs: 1 },
    });
  });

  it('is erased with its tokens, and other owners keep theirs', async () => {
    const store = await fixture.open();
    const machine = createChatMachine({ store });
    for (const owner of ['anna', 'ben']) {
      await issueToken(store, { name: 'ci', owner });
      await machine.createChat({ owner, model: 'm', message: userMessage(`from ${owner}`) });
    }
    const [parent] = (await machine.listChats({ owner: 'anna', limit: 9 })).chats;
    await machine.createChat({
      owner: 'anna',
      model: 'm',
      message: userMessage('child'),
      parentId: parent?.id ?? '',
    });

    const runs = createRunMachine({ store });
    const idempotency = {
      route: 'r',
      key: 'k',
      bodyHash: 'h',
      respond: () => ({ status: 201, body: 'secret' }),
    };
    for (const owner of ['anna', 'ben']) {
      await runs.createRun({ owner, request: runRequest({ prompt: `from ${owner}` }), idempotency });
    }
    await runs.claimNext({ worker: 'w1', offers: OFFERS });
    const { prompt: _prompt, ...request } = runRequest();
    const batch = await runs.createBatch({ owner: 'anna', name: 'all', request });
    await runs.addItems({ owner: 'anna', batchId: batch.id, items: [{ key: 'a', prompt: 'An item' }] });
    const secret = { counter: 1, rotated_at: 1 };
    await store.db
      .insertInto('webhook_secrets')
      .values({ owner: 'anna', ...secret })
      .execute();

    expect(await eraseOwner(store, { owner: 'anna', actor: 'command' })).toEqual({
      tokens: 1,
      chats: 1,
      runs: 2,
    });
    for (const table of OWNED) {
      const left = await store.db.selectFrom(table).select('owner').where('owner', '=', 'anna').execute();
      expect([table, left.length]).toEqual([table, 0]);
    }

    expect((await machine.listChats({ owner: 'anna', limit: 9 })).chats).toEqual([]);
    expect((await runs.listRuns({ owner: 'anna', limit: 9 })).runs).toEqual([]);
    expect((await runs.listRuns({ owner: 'ben', limit: 9 })).runs).toHaveLength(1);
    const kept = await store.db.selectFrom('idempotency_keys').select('owner').execute();
    expect(kept).toEqual([{ owner: 'ben' }]);
    expect((await machine.listChats({ owner: 'ben', limit: 9 })).chats).toHaveLength(1);
    const tokens = await listTokens(store.db);
    // In any order: both can be created in the same millisecond.
    expect(
      Object.fromEntries(tokens.map(({ owner, revokedAt }) => [owner, revokedAt === undefined])),
    ).toEqual({
      anna: false,
      ben: true,
    });
    expect(tokens).toHaveLength(2);
    expect((await listAudit(store.db, { owner: 'anna', limit: 9 })).map(({ action }) => action)).toEqual([
      'owner_erased',
      'chat_deleted',
      'token_revoked',
      'token_created',
    ]);
  });
});
