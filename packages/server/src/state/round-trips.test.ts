/**
 * Cost of each transition: statements between BEGIN and COMMIT. On Postgres each is a round trip.
 */
import type { KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import type { Store } from '@truecast/store/internal/database/store';
import type { OwnedChat } from './chat-changes.ts';
import {
  OWNER,
  prepareChat,
  SUCCESS,
  testMachine,
  toolResult,
  toolStep,
  userMessage,
  type TestMachine,
} from './test-chats.ts';

const PINNED = {
  createChat: 2,
  'createChat with a request': 3,
  'sendMessage to an idle chat': 3,
  'sendMessage to the queue': 3,
  'sendMessage with a request to the queue': 4,
  'editMessage of a running chat': 7,
  interrupt: 3,
  acquire: 3,
  release: 3,
  'commitStep without calls': 3,
  'commitStep with calls': 4,
  claimTool: 3,
  commitToolResults: 4,
  enterRequiresAction: 3,
  submitToolResults: 5,
  recordRetry: 3,
  'finishTurn without a queue': 3,
  'finishTurn with a receipt': 5,
  'finishTurn with a receipt and a promoted request': 8,
};

describeOnBothStores('a transition', (open) => {
  it('needs exactly the pinned number of statements', async () => {
    const counter = { count: 0 };
    const machine = testMachine(counted(open(), counter));
    const found: Record<string, number> = {};
    const count = async <T>(name: keyof typeof PINNED, work: Promise<T>): Promise<T> => {
      const result = await work;
      found[name] = counter.count;
      counter.count = 0;
      return result;
    };
    const start = async <T>(work: () => Promise<T>): Promise<T> => {
      counter.count = 0;
      return work();
    };
    const send = (chatId: string, requestId?: string) =>
      machine.sendMessage({
        owner: OWNER,
        chatId,
        message: userMessage('more', requestId),
        busyBehavior: 'queue',
      });
    const create = (requestId?: string) =>
      machine.createChat({ owner: OWNER, model: 'm', message: userMessage('first', requestId) });

    await start(() => count('createChat', create()));
    const { chat } = await count('createChat with a request', create(crypto.randomUUID()));
    await count('sendMessage with a request to the queue', send(chat.id, crypto.randomUUID()));
    const { fence } = await count('acquire', machine.acquire({ chatId: chat.id, worker: 'w' }));
    await count(
      'finishTurn with a receipt and a promoted request',
      machine.finishTurn(fence, { ending: SUCCESS }),
    );
    const second = await machine.acquire({ chatId: chat.id, worker: 'w' });
    await start(() =>
      count('finishTurn with a receipt', machine.finishTurn(second.fence, { ending: SUCCESS })),
    );
    await count('sendMessage to an idle chat', send(chat.id));
    await count('sendMessage to the queue', send(chat.id));
    await count('interrupt', machine.interrupt({ owner: OWNER, chatId: chat.id }));

    const running = await prepareChat(machine, 'running');
    const { callId: messageId } = running;
    const claim = { messageId, toolCallId: 'call-1', inputHash: 'input' };
    await start(() => count('claimTool', machine.claimTool(running.fence, claim)));
    const answered = await count(
      'commitToolResults',
      machine.commitToolResults(running.fence, { results: [toolResult(messageId, 'call-1')] }),
    );
    const text = { messages: [{ role: 'assistant', parts: [] }] } as const;
    const stepped = await count('commitStep without calls', machine.commitStep(answered.fence, text));
    const called = await count(
      'commitStep with calls',
      machine.commitStep(stepped.fence, toolStep('call-2', 'client')),
    );
    const { chatId } = running;
    await count('enterRequiresAction', machine.enterRequiresAction(called.fence));
    const results = [{ toolCallId: 'call-2', output: 1 }];
    await count('submitToolResults', machine.submitToolResults({ owner: OWNER, chatId, results }));
    const third = await machine.acquire({ chatId, worker: 'w' });
    const error = { kind: 'x', message: 'x', isRetryable: true };
    const retry = { attempt: 1, delayMs: 0, error };
    await start(() => count('recordRetry', machine.recordRetry(third.fence, retry)));
    const retried = await machine.acquire({ chatId, worker: 'w' });
    await start(() => count('release', machine.release(retried.fence)));
    const fourth = await machine.acquire({ chatId, worker: 'w' });
    await start(() => count('finishTurn without a queue', machine.finishTurn(fourth.fence)));
    const edited = await prepareChat(machine, 'running');
    const edit = { owner: OWNER, chatId: edited.chatId, messageId: 1, message: userMessage('better') };
    await start(() => count('editMessage of a running chat', machine.editMessage(edit)));
    expect(found).toEqual(PINNED);
  });

  it('is read with all others of a page, their newest values and requests, by three statements', async () => {
    const counter = { count: 0 };
    const machine = testMachine(counted(open(), counter));
    const owner = crypto.randomUUID();
    for (const values of [[], ['{"a":1}', '{"a":2}'], [`"${'🙂'.repeat(200)}"`]]) {
      const { chat } = await machine.createChat({ owner, model: 'm', message: userMessage('first') });
      const { fence } = await machine.acquire({ chatId: chat.id, worker: 'w' });
      await machine.finishTurn(fence);
      for (const value_text of values) await succeed(machine, { owner, chatId: chat.id }, value_text);
      machine.clock.nowMs += 1;
    }
    counter.count = 0;
    const { chats } = await machine.listChats({ owner, limit: 50, hasPreview: true });
    // The chats, their requests, and the messages of these.
    expect(counter.count).toBe(3);
    expect(chats.map(({ valuePreview }) => valuePreview)).toEqual([
      `"${'🙂'.repeat(159)}`,
      '{"a":2}',
      undefined,
    ]);
  });
});

async function succeed(machine: TestMachine, chat: OwnedChat, value_text: string): Promise<void> {
  const message = userMessage('more', crypto.randomUUID());
  await machine.sendMessage({ ...chat, message, busyBehavior: 'queue' });
  const { fence } = await machine.acquire({ chatId: chat.chatId, worker: 'w' });
  await machine.finishTurn(fence, { ending: { ...SUCCESS, value_text } });
}

/** The store, with counted statements. */
function counted(store: Store, counter: { count: number }): Store {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      counter.count += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    ...store,
    db: store.db.withPlugin(plugin),
    transaction: (work) =>
      store.transaction((tx) =>
        work({
          dialect: tx.dialect,
          db: tx.db.withPlugin(plugin),
          afterCommit: (effect) => tx.afterCommit(effect),
          notify: (channel, payload) => tx.notify(channel, payload),
        }),
      ),
  };
}
