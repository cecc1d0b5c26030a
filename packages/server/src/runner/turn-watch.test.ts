import { expect, it } from 'vitest';
import { openStore } from '@truecast/store/internal/open-store';
import { OWNER, prepareChat, testMachine, userMessage } from '../state/test-chats.ts';
import { encodeChatNotice } from '../state/rows/chat-notice.ts';
import { CHAT_CHANNEL } from '../state/rows/machine-context.ts';
import type { Store } from '@truecast/store/internal/database/store';
import type { ChatMachine } from '../state/chat-machine.ts';
import type { Fence } from '../state/rows/chat-update.ts';
import { watchTurn, type TurnWatch } from './turn-watch.ts';

it('stops the running work of an abandoned turn', async () => {
  const store = await openStore({ url: ':memory:' });
  const machine = testMachine(store);
  const { fence } = await prepareChat(machine, 'running');
  const watch = watchTurn(machine, fence, {
    heartbeatMs: 60_000,
    shutdown: new AbortController().signal,
  });
  expect(watch.signal.aborted).toBe(false);
  watch[Symbol.dispose]();
  expect([watch.signal.aborted, watch.reason()]).toEqual([true, undefined]);
  await store.close();
});

/** A watch of a running turn that cannot read the chat, so that its notifications must suffice. */
async function watched(
  work: (at: {
    readonly store: Store;
    readonly machine: ChatMachine;
    readonly fence: Fence;
    readonly watch: TurnWatch;
  }) => Promise<void>,
): Promise<void> {
  const store = await openStore({ url: ':memory:' });
  const machine = testMachine(store);
  const { fence } = await prepareChat(machine, 'running');
  const mute: ChatMachine = {
    ...machine,
    heartbeat: () => Promise.reject(new TypeError('no heartbeat')),
    readStanding: () => Promise.reject(new TypeError('no read')),
  };
  using watch = watchTurn(mute, fence, { heartbeatMs: 60_000, shutdown: new AbortController().signal });
  await work({ store, machine, fence, watch });
  await store.close();
}

it('stops an interrupted turn without a read', () =>
  watched(async ({ machine, fence: { chatId }, watch }) => {
    const message = userMessage('next');
    await machine.sendMessage({ owner: OWNER, chatId, message, busyBehavior: 'queue' });
    await Promise.resolve();
    expect(watch.reason()).toBe(undefined);
    await machine.interrupt({ owner: OWNER, chatId });
    await Promise.resolve();
    expect([watch.signal.aborted, watch.reason()]).toEqual([true, 'interrupting']);
  }));

it('stops a turn that another worker has, and ignores notifications from before its lease', () =>
  watched(async ({ store, fence: { chatId, version }, watch }) => {
    const row = await store.db
      .selectFrom('chats')
      .selectAll()
      .where('id', '=', chatId)
      .executeTakeFirstOrThrow();
    const tell = (change: object): Promise<void> =>
      store.notifications.publish(CHAT_CHANNEL, encodeChatNotice({ ...row, ...change }, []));
    await tell({ version, runner: null });
    await Promise.resolve();
    expect(watch.reason()).toBe(undefined);
    await tell({ version: version + 1, runner: 'other' });
    await Promise.resolve();
    expect(watch.reason()).toBe('lost');
  }));
