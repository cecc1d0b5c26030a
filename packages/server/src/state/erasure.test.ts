import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { Store } from '@truecast/store/internal/database/store';
import { describeOnBothStores, type StoreFixture } from '../../../../test/describe-on-both-stores.ts';
import { createRunMachine } from '../runs/state/run-machine.ts';
import { OFFERS, runRequest } from '../runs/state/test-runs.ts';
import { createChatMachine, type ChatMachine } from './chat-machine.ts';
import { listAudit } from '../owners/audit-list.ts';
import type { NewMessage } from './rows/append-messages.ts';
import { OWNER, toolStep, userMessage } from './test-chats.ts';

/** Written to every place that accepts text of a client or a model. */
const MARK = 'Xq7-planted-marker';
const DAY_MS = 86_400_000;
const KEY = { owner: OWNER, route: 'POST /api/chats', key: 'key-1', bodyHash: 'body-hash' };

describeOnBothStores('the deletion of a chat', (fixture: StoreFixture) => {
  it('leaves no text of the chat in any table, and no hash of a text', async () => {
    const store = await fixture.open();
    const machine = createChatMachine({ store });
    const { chatId, succeeded } = await markedChat(machine);
    const kept = await machine.createChat({ owner: OWNER, model: 'm', message: userMessage('stays') });
    expect((await tablesWith(store, MARK)).sort()).toEqual([
      'chat_messages',
      'chat_queue',
      'chat_requests',
      'chats',
      'idempotency_keys',
      'tool_executions',
    ]);

    await machine.deleteChat({ owner: OWNER, chatId, actor: 'token:t' });

    expect(await tablesWith(store, MARK)).toEqual([]);
    for (const hash of ['schema-hash', 'value-hash', 'body-hash']) {
      expect(await tablesWith(store, hash)).toEqual([]);
    }
    const row = await store.db
      .selectFrom('chat_requests')
      .selectAll()
      .where('id', '=', succeeded)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ status: 'succeeded', erased: 1, model: 'scripted', value_text: '' });
    expect(row.usage).toContain('"input_tokens":7');
    expect((await machine.readChat({ owner: OWNER, chatId: kept.chat.id })).id).toBe(kept.chat.id);
    expect(await listAudit(store.db, { owner: OWNER, limit: 9 })).toMatchObject([
      { action: 'chat_deleted', actor: 'token:t', subject: chatId },
    ]);
  });

  it('answers that an erased value does not exist, and repeats no erased request', async () => {
    const store = await fixture.open();
    const machine = createChatMachine({ store });
    const { chatId, succeeded, queued } = await markedChat(machine);
    await machine.deleteChat({ owner: OWNER, chatId });

    const read = machine.readRequest({ owner: OWNER, requestId: succeeded });
    expect(await codeOf(read)).toBe('request-not-found');
    const waiting = await machine.readRequest({ owner: OWNER, requestId: queued });
    expect(waiting.receipt).toMatchObject({ status: 'canceled', error: { code: 'chat_deleted' } });
    expect(await codeOf(machine.readStoredResponse(KEY))).toBe('chat-not-found');
  });

  it('is done by the retention for chats that were not used for its time', async () => {
    const store = await fixture.open();
    const clock = { nowMs: 1_000_000 };
    const machine = createChatMachine({ store, now: () => clock.nowMs, retentionMs: 30 * DAY_MS });
    const { chatId } = await markedChat(machine, 1);
    const { chat: busy } = await machine.createChat({
      owner: OWNER,
      model: 'm',
      message: userMessage('runs'),
    });
    clock.nowMs += 29 * DAY_MS;
    const recent = await endedChat(machine);
    await machine.sweep();
    expect(await tablesWith(store, MARK)).not.toEqual([]);

    clock.nowMs += 2 * DAY_MS;
    await machine.sweep();

    expect(await tablesWith(store, MARK)).toEqual([]);
    expect(await codeOf(machine.readChat({ owner: OWNER, chatId }))).toBe('chat-not-found');
    for (const id of [busy.id, recent]) {
      expect((await machine.readChat({ owner: OWNER, chatId: id })).id).toBe(id);
    }
    expect(await listAudit(store.db, { limit: 9 })).toMatchObject([
      { action: 'retention_run', actor: 'retention', detail: { chats: 1 } },
      { action: 'chat_deleted', actor: 'retention', owner: OWNER, subject: chatId },
    ]);
  });

  it('is done by the retention for agent runs that ended before its time', async () => {
    const store = await fixture.open();
    const clock = { nowMs: 1_000_000 };
    const now = (): number => clock.nowMs;
    const machine = createChatMachine({ store, now, retentionMs: 30 * DAY_MS });
    const runs = createRunMachine({ store, now });
    const create = async (): Promise<string> =>
      (await runs.createRun({ owner: OWNER, request: runRequest({ prompt: MARK }) })).id;
    await create();
    const held = await runs.claimNext({ worker: 'w1', offers: OFFERS });
    await runs.endRun(held!.fence, { status: 'succeeded', text: MARK });
    clock.nowMs += DAY_MS;
    const later = await create();
    await runs.requestCancel({ owner: OWNER, runId: later });
    const queued = await create();
    clock.nowMs += 29 * DAY_MS + 1;
    await machine.sweep();
    const kept = (await runs.listRuns({ owner: OWNER, limit: 9 })).runs.map(({ id }) => id);
    expect(new Set(kept)).toEqual(new Set([later, queued]));
    expect(await runs.listRunEvents({ runId: held!.claimed.id, after: 0, limit: 9 })).toEqual([]);
    expect(await runs.listExecutions(held!.claimed.id)).toEqual([]);
    expect(await listAudit(store.db, { limit: 9 })).toMatchObject([
      { action: 'retention_run', actor: 'retention', detail: { runs: 1 } },
    ]);
  });

  it('leaves rows and an audit, which their own retention deletes', async () => {
    const store = await fixture.open();
    const clock = { nowMs: 1_000_000 };
    const retention = { skeletonRetentionMs: 30 * DAY_MS, auditRetentionMs: 40 * DAY_MS };
    const machine = createChatMachine({ store, now: () => clock.nowMs, ...retention });
    const { chatId } = await markedChat(machine);
    await machine.deleteChat({ owner: OWNER, chatId });
    const kept = await endedChat(machine);
    const countRows = async (table: 'chats' | 'chat_requests' | 'audit_log'): Promise<number> => {
      const rows = await store.db.selectFrom(table).select('id').execute();
      return rows.length;
    };
    const counts = (): Promise<number[]> =>
      Promise.all((['chats', 'chat_requests', 'audit_log'] as const).map(countRows));
    const [chats = 0, requests = 0] = await counts();
    expect(requests).toBeGreaterThan(0);
    clock.nowMs += 29 * DAY_MS;
    await machine.sweep();
    expect(await counts()).toEqual([chats, requests, 1]);

    clock.nowMs += 2 * DAY_MS;
    await machine.sweep();
    expect(await counts()).toEqual([1, 0, 2]);
    expect(await listAudit(store.db, { limit: 9 })).toMatchObject([
      { action: 'retention_run', actor: 'retention', detail: { skeletons: chats - 1 } },
      { action: 'chat_deleted', subject: chatId },
    ]);

    clock.nowMs += 10 * DAY_MS;
    await machine.sweep();
    expect(await counts()).toEqual([1, 0, 1]);
    expect((await machine.readChat({ owner: OWNER, chatId: kept })).id).toBe(kept);
  });

  if (fixture.dialect === 'sqlite') {
    it('leaves no text in the bytes of the file, or of its log after a sweep', async () => {
      const url = await fixture.freshUrl();
      const store = await fixture.open(url);
      const machine = createChatMachine({ store });
      const ids: string[] = [];
      for (let chat = 0; chat < 12; chat += 1) ids.push((await markedChat(machine, chat)).chatId);
      expect(await filesWith(url)).not.toEqual([]);
      for (const chatId of ids) await machine.deleteChat({ owner: OWNER, chatId });

      await machine.sweep();
      expect(await filesWith(url)).toEqual([]);
    });
  }
});

/** A chat with the marker in every member, and an ended, an open and a queued request. */
async function markedChat(machine: ChatMachine, number = 0) {
  const [succeeded, queued] = [crypto.randomUUID(), crypto.randomUUID()];
  const { chat } = await machine.createChat({
    owner: OWNER,
    model: 'm',
    title: MARK,
    systemPrompt: MARK,
    settings: { note: MARK },
    dynamicTools: [{ name: 'look', input_schema: { title: MARK } }],
    message: { ...marked(succeeded), traceparent: '00-0', tracestate: MARK },
    idempotency: {
      ...KEY,
      key: `key-${number + 1}`,
      respond: () => ({ status: 201, body: JSON.stringify({ text: MARK }) }),
    },
  });
  const chatId = chat.id;
  const { fence } = await machine.acquire({ chatId, worker: 'w' });
  const step = toolStep(MARK, 'server');
  // Long enough to get its own pages in the file.
  const parts = [...(step.messages[0]?.parts ?? []), { type: 'text', text: MARK.repeat(900) } as const];
  const { fence: second } = await machine.commitStep(fence, {
    ...step,
    messages: [{ role: 'assistant', parts }],
  });
  await machine.finishTurn(second, {
    ending: {
      status: 'succeeded',
      value_text: `{"a":"${MARK}"}`,
      value_hash: 'value-hash',
      attempts: [{ code: 'invalid', issues: [{ path: `/${MARK}`, rule: 'type' }] }, { code: 'ok' }],
      model: 'scripted',
      usage: {
        input_tokens: 7,
        output_tokens: 1,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
  });
  if (number > 0) return { chatId, succeeded, queued };
  const send = (message: NewMessage) =>
    machine.sendMessage({ owner: OWNER, chatId, message, busyBehavior: 'queue' });
  await send(marked(crypto.randomUUID()));
  await send(marked(queued));
  await failTurn(machine, chatId, MARK);
  return { chatId, succeeded, queued };
}

/** Ends the running turn, so that the queue is held. */
async function failTurn(machine: ChatMachine, chatId: string, message = ''): Promise<void> {
  const { fence } = await machine.acquire({ chatId, worker: 'w' });
  await machine.failTurn(fence, { error: { kind: 'x', message, isRetryable: false } });
}

async function endedChat(machine: ChatMachine): Promise<string> {
  const { chat } = await machine.createChat({ owner: OWNER, model: 'm', message: userMessage('recent') });
  await failTurn(machine, chat.id);
  return chat.id;
}

function marked(requestId: string): NewMessage {
  const { parts, request } = userMessage(MARK, requestId);
  if (request === undefined) return { parts };
  const format = { ...request.format, schema_text: `{"title":"${MARK}","type":"object"}` };
  return { parts, request: { format, schemaHash: 'schema-hash' } };
}

/** Names of the tables with `text` in any column. */
async function tablesWith({ db, dialect }: Store, text: string): Promise<string[]> {
  const { rows } = await (
    dialect === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{
          name: string;
        }>`select table_schema || '.' || table_name as name from information_schema.tables where table_schema like 'truecast%' and table_type = 'BASE TABLE'`
  ).execute(db);
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: content } = await sql`select * from ${sql.table(name)}`.execute(db);
    if (JSON.stringify(content).includes(text)) found.push(name.replace(/^.*\./u, ''));
  }
  return found;
}

/** Names of the database's files whose bytes contain the marker. */
async function filesWith(url: string): Promise<string[]> {
  const folder = dirname(url);
  const found: string[] = [];
  for (const name of await readdir(folder)) {
    if ((await readFile(join(folder, name), 'latin1')).includes(MARK)) found.push(name);
  }
  return found;
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return ChatStateError.isInstance(error) ? error.code : error;
}
