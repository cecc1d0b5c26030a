import { expect, it } from 'vitest';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { Store } from '@truecast/store/internal/database/store';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import { createChatMachine, type ChatMachine } from './chat-machine.ts';
import type { StartedTurn } from './start-with-commit.ts';
import { NOT_PRODUCED, OWNER, userMessage } from './test-chats.ts';

interface OneSlot {
  readonly machine: ChatMachine;
  readonly started: StartedTurn[];
  /** Free slots, from 1. */
  readonly slots: { free: number };
  /** Chats that were announced as having work. */
  readonly runnable: string[];
}

/** A machine with one worker slot, which is used up by the first turn. */
function oneSlot(store: Store): OneSlot {
  const started: StartedTurn[] = [];
  const runnable: string[] = [];
  const slots = { free: 1 };
  const machine = createChatMachine({
    store,
    onRunnable: (chatId) => runnable.push(chatId),
    reserve: () => {
      if (slots.free === 0) return undefined;
      slots.free -= 1;
      return {
        worker: 'worker-1',
        begin: (turn) => void started.push(turn),
        giveBack: () => {
          slots.free += 1;
        },
      };
    },
  });
  return { machine, started, slots, runnable };
}

const CHAT = { owner: OWNER, model: 'scripted' };

describeOnBothStores('a commit that gives a chat its work', (open) => {
  it('acquires a new chat, and builds the turn that a load returns', async () => {
    const { machine, started, runnable } = oneSlot(open());
    const message = userMessage('NUL \u0000, half a pair \uD800', crypto.randomUUID());
    const { chat } = await machine.createChat({ ...CHAT, message, title: 'Half \uD800', planMode: false });
    const [{ fence, turn } = {}] = started;
    expect(turn).toEqual(await machine.loadTurn(chat.id));
    expect(await machine.readStanding(fence!)).toBe('running');
    expect(runnable).toEqual([]);
    await expect(machine.acquire({ chatId: chat.id, worker: 'worker-2' })).rejects.toMatchObject({
      code: 'leased',
    });
    await machine.finishTurn(fence!, { ending: NOT_PRODUCED });
  });

  it('announces the chat instead if no slot is free', async () => {
    const { machine, started, slots, runnable } = oneSlot(open());
    slots.free = 0;
    const { chat } = await machine.createChat({ ...CHAT, message: userMessage('x') });
    expect({ started, runnable }).toEqual({ started: [], runnable: [chat.id] });
    await machine.acquire({ chatId: chat.id, worker: 'worker-2' });
  });

  it('keeps the turn of a new chat for the worker that acquires it, unless the chat changes', async () => {
    const { machine, slots } = oneSlot(open());
    slots.free = 0;
    const create = () => machine.createChat({ ...CHAT, message: userMessage('Hi', crypto.randomUUID()) });
    const [{ chat: kept }, { chat: changed }] = [await create(), await create()];
    const { turn } = await machine.acquire({ chatId: kept.id, worker: 'worker-1' });
    expect(turn).toEqual(await machine.loadTurn(kept.id));
    await machine.patchChat({ owner: OWNER, chatId: changed.id, title: 'New title' });
    expect(await machine.acquire({ chatId: changed.id, worker: 'worker-1' })).not.toHaveProperty('turn');
  });

  it('acquires an idle chat with its next message, and leaves a running one to its worker', async () => {
    const { machine, started, slots } = oneSlot(open());
    const { chat } = await machine.createChat({ ...CHAT, message: userMessage('x') });
    await machine.finishTurn(started[0]!.fence);
    slots.free = 1;
    const next = { owner: OWNER, chatId: chat.id, busyBehavior: 'queue' } as const;
    await machine.sendMessage({ ...next, message: userMessage('y') });
    expect(started[1]?.turn).toBeUndefined();
    slots.free = 1;
    await machine.sendMessage({ ...next, message: userMessage('z') });
    expect({ starts: started.length, free: slots.free }).toEqual({ starts: 2, free: 1 });
    const ended = await machine.finishTurn(started[1]!.fence);
    expect(ended.status).toBe('running');
  });

  it('returns the slot if it is refused', async () => {
    const { machine, started, slots } = oneSlot(open());
    const requestId = crypto.randomUUID();
    const message = userMessage('x', requestId);
    await machine.createChat({ ...CHAT, message });
    slots.free = 1;
    await expect(machine.createChat({ ...CHAT, message })).rejects.toMatchObject({ code: 'constraint' });
    expect({ starts: started.length, free: slots.free }).toEqual({ starts: 1, free: 1 });
  });

  it('begins the turn from its rows if the outcome of the commit is unknown', async () => {
    const store = open();
    const unknown = new StoreError('The connection was lost.', { code: 'commit-unknown' });
    const transaction: Store['transaction'] = async (work) => {
      await store.transaction((tx) => work({ ...tx, afterCommit: () => undefined }));
      throw unknown;
    };
    const { machine, started, slots } = oneSlot({ ...store, transaction });
    await expect(machine.createChat({ ...CHAT, message: userMessage('x') })).rejects.toBe(unknown);
    const [{ fence, turn } = {}] = started;
    expect({ turn, free: slots.free }).toEqual({ turn: undefined, free: 0 });
    expect(await machine.readStanding(fence!)).toBe('running');
  });
});
