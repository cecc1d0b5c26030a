/**
 * Tests of every ending that comes from outside of a turn, with a real worker inside the turn: one
 * receipt, with the matching code.
 */
import { expect, it } from 'vitest';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import type { ChatModel } from '../../packages/server/src/models/chat-model.ts';
import { reply, type ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { describeOnBothStores } from '../both-stores.ts';
import { ASK_USER, COUNT, newRequestId, submit } from './answers.ts';
import { message, OWNER, testServer, type TestServer } from './test-server.ts';

const ONE = submit('{"output":{"n":1}}');
/** Starts, and never ends by itself. */
const ENDLESS = reply.cut({ afterChunks: 2, isSilent: true }, reply.text('word '.repeat(99)));
const ASKS = reply.tool('ask_user', {});

/** Progress of a turn when its request is ended. */
const PLACES: readonly (readonly [string, ScriptedReply])[] = [
  ['while its model streams', ENDLESS],
  ['while it waits for the client', ASKS],
];

describeOnBothStores('A request is ended from outside', (open) => {
  it.each(PLACES)('%s: the chat is deleted', async (_title, first) => {
    await using asked = await ask([first]);
    const queuedId = await asked.queue();
    await asked.server.machine.deleteChat(asked.where);
    for (const requestId of [asked.requestId, queuedId]) {
      expect(await asked.receipt(requestId)).toMatchObject({
        status: 'canceled',
        error: { code: 'chat_deleted' },
      });
    }
    await expect(asked.server.machine.readChat(asked.where)).rejects.toMatchObject({
      code: 'chat-not-found',
    });
  });

  it.each(PLACES)('%s: its message is edited, with a format', async (_title, first) => {
    await using asked = await ask([first, ONE]);
    const queuedId = await asked.queue();
    const requestId = newRequestId();
    const better = message('Count again', { requestId, schema: COUNT });
    await asked.server.machine.editMessage({ ...asked.where, messageId: 1, message: better });
    for (const old of [asked.requestId, queuedId]) {
      expect(await asked.receipt(old)).toMatchObject({ status: 'canceled', error: { code: 'superseded' } });
    }
    expect(await asked.receipt(requestId)).toMatchObject({ status: 'succeeded', value: { n: 1 } });
    await asked.rest('waiting');
  });

  it.each(PLACES)('%s: its message is edited, without a format', async (_title, first) => {
    await using asked = await ask([first, reply.text('Hello.')]);
    await asked.server.machine.editMessage({ ...asked.where, messageId: 1, message: message('Hi') });
    expect(await asked.receipt(asked.requestId)).toMatchObject({
      status: 'canceled',
      error: { code: 'superseded' },
    });
    await asked.rest('waiting');
    const last = (await asked.server.messages(asked.where.chatId)).at(-1);
    expect(JSON.stringify(last?.parts)).toContain('Hello.');
  });

  it.each(PLACES)('%s: it is interrupted', async (_title, first) => {
    await using asked = await ask([first]);
    await asked.server.machine.interrupt(asked.where);
    expect(await asked.receipt(asked.requestId)).toMatchObject({
      status: 'canceled',
      error: { code: 'interrupted' },
    });
    await asked.rest('waiting');
  });

  it.each(PLACES)('%s: another message interrupts it', async (_title, first) => {
    await using asked = await ask([first, ONE]);
    const requestId = newRequestId();
    const now = message('Now', { requestId, schema: COUNT });
    await asked.server.machine.sendMessage({ ...asked.where, message: now, busyBehavior: 'interrupt' });
    expect((await asked.receipt(asked.requestId)).error?.code).toBe('interrupted');
    expect((await asked.receipt(requestId)).status).toBe('succeeded');
  });

  it('because its model cannot be used: nothing is called, and the queue is held until the model changes', async () => {
    let isKnown = false;
    const find = async (use: () => Promise<ChatModel>): Promise<ChatModel> => {
      if (isKnown) return use();
      throw new UsageError('There is no model `gone`.');
    };
    await using asked = await ask([ONE], { find, machine: { errorHoldMs: 600_000 } });
    expect(await asked.receipt(asked.requestId)).toMatchObject({
      status: 'failed',
      error: { code: 'configuration_error' },
    });
    await asked.rest('error');
    expect(asked.server.scripted.requests).toHaveLength(0);
    isKnown = true;
    await asked.server.machine.patchChat({ ...asked.where, model: 'test:scripted' });
    const requestId = newRequestId();
    const again = message('Count', { requestId, schema: COUNT });
    await asked.server.machine.sendMessage({ ...asked.where, message: again, busyBehavior: 'queue' });
    expect((await asked.receipt(requestId)).status).toBe('succeeded');
  });

  it('because its model is no longer available after a wait: the receipt includes the earlier cost', async () => {
    let isKnown = true;
    const find = async (use: () => Promise<ChatModel>): Promise<ChatModel> => {
      if (isKnown) return use();
      throw new UsageError('There is no model `gone`.');
    };
    await using asked = await ask([ASKS], { find });
    isKnown = false;
    const { executions } = await asked.server.machine.loadTurn(asked.where.chatId);
    const results = executions.map(({ toolCallId }) => ({ toolCallId, output: 'one' }));
    await asked.server.machine.submitToolResults({ ...asked.where, results });
    const receipt = await asked.receipt(asked.requestId);
    expect(receipt).toMatchObject({ status: 'failed', error: { code: 'configuration_error' } });
    expect(receipt.usage?.output_tokens).toBeGreaterThan(0);
    expect([receipt.model, receipt.mode]).toEqual(['test:scripted', 'tool']);
    await asked.rest('error');
  });

  interface Asked extends AsyncDisposable {
    readonly server: TestServer;
    readonly where: { readonly owner: string; readonly chatId: string };
    readonly requestId: string;
    /** Queues another request behind it. */
    queue(): Promise<string>;
    /** Waits for a final receipt. */
    receipt(requestId: string): Promise<Awaited<ReturnType<TestServer['receipt']>>['receipt']>;
    rest(status: string): Promise<void>;
  }

  interface AskOptions {
    readonly find?: (use: () => Promise<ChatModel>) => Promise<ChatModel>;
    readonly machine?: { readonly errorHoldMs: number };
  }

  /** A chat with an active request: its first call has started, or its turn has ended. */
  async function ask(script: readonly ScriptedReply[], options: AskOptions = {}): Promise<Asked> {
    const server = await testServer({
      store: open(),
      script,
      ...(options.machine !== undefined && { machine: options.machine }),
      ...(options.find !== undefined && { find: options.find }),
    });
    const requestId = newRequestId();
    const { chat } = await server.machine.createChat({
      owner: OWNER,
      model: 'test:scripted',
      dynamicTools: [ASK_USER],
      message: message('Count', { requestId, schema: COUNT }),
    });
    const where = { owner: OWNER, chatId: chat.id };
    if (script[0] === ASKS) await server.until(chat.id, 'requires_action');
    if (script[0] === ENDLESS) {
      await expect.poll(() => server.scripted.requests.length, POLL).toBeGreaterThan(0);
    }
    return {
      server,
      where,
      requestId,
      queue: async () => {
        const queuedRequest = newRequestId();
        const next = message('Next', { requestId: queuedRequest, schema: COUNT });
        await server.machine.sendMessage({ ...where, message: next, busyBehavior: 'queue' });
        return queuedRequest;
      },
      receipt: async (id) => {
        const wait = { owner: OWNER, requestId: id, waitMs: 20_000 };
        return (await server.machine.waitForRequest(wait)).receipt;
      },
      rest: (status) => server.until(chat.id, status),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }
});

const POLL = { timeout: 120_000 };
