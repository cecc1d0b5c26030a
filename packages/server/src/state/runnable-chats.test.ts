import { expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/both-stores.ts';
import { testMachine, userMessage, type TestMachine } from './test-chats.ts';

/** Creates `count` chats of an owner, one millisecond apart. */
async function create(machine: TestMachine, owner: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    machine.clock.nowMs += 1;
    const { chat } = await machine.createChat({ owner, model: 'm', message: userMessage('x') });
    ids.push(chat.id);
  }
  return ids;
}

describeOnBothStores('chats that need a worker', (open) => {
  it('come one of each owner in turn, and running chats count', async () => {
    const machine = testMachine(open());
    const [many, few, idle] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
    const a = await create(machine, many, 4);
    const b = await create(machine, few, 3);
    const c = await create(machine, idle, 1);
    const own = new Set([...a, ...b, ...c]);
    const order = async () => (await machine.sweep()).runnable.filter((id) => own.has(id));
    expect(await order()).toEqual([a[0], b[0], c[0], a[1], b[1], a[2], b[2], a[3]]);
    await machine.acquire({ chatId: a[0] ?? '', worker: 'w' });
    await machine.acquire({ chatId: a[1] ?? '', worker: 'w' });
    expect(await order()).toEqual([b[0], c[0], b[1], a[2], b[2], a[3]]);
  });

  it('give a free slot to the owner whose turn it is, and keep the order of jobs within one owner', async () => {
    const store = open();
    const machine = testMachine(store);
    await store.db.updateTable('chats').set({ deleted: 1 }).execute();
    const a = await create(machine, crypto.randomUUID(), 3);
    // No other owner waits, so the job's own chat runs, even if it is not the oldest.
    expect(await machine.fairestChat(a[2] ?? '')).toBe(a[2]);
    await machine.acquire({ chatId: a[0] ?? '', worker: 'w' });
    const b = await create(machine, crypto.randomUUID(), 2);
    expect(await machine.fairestChat(a[1] ?? '')).toBe(b[0]);
    await machine.acquire({ chatId: b[0] ?? '', worker: 'w' });
    // Both have one running chat, so the longest untouched one is next.
    expect(await machine.fairestChat(b[1] ?? '')).toBe(a[1]);
  });

  it('alternate when each turn ends before the next one starts', async () => {
    const machine = testMachine(open());
    const [many, few] = [crypto.randomUUID(), crypto.randomUUID()];
    const a = await create(machine, many, 3);
    const b = await create(machine, few, 2);
    const own = new Set([...a, ...b]);
    const order: string[] = [];
    for (let job = 0; job < own.size; job += 1) {
      const left = a.concat(b).filter((id) => !order.includes(id));
      const chatId = await machine.fairestChat(left[0] ?? '');
      const { fence } = await machine.acquire({ chatId, worker: 'w' });
      await machine.finishTurn(fence);
      order.push(chatId);
    }
    expect(order).toEqual([a[0], b[0], a[1], b[1], a[2]]);
  });
});
