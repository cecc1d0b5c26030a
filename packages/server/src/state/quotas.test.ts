import { describe, expect, it } from 'vitest';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { NO_USAGE } from '@truecast/core/internal/kit/usage';
import type { StoreFixture } from '../../../../test/describe-on-both-stores.ts';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import type { OwnerQuota, QuotaSettings } from '../contract/quotas.ts';
import { createChatMachine, type ChatMachine } from './chat-machine.ts';
import { OWNER, userMessage } from './test-chats.ts';

/** 2026-11-23T12:00:00Z. */
const NOON = Date.UTC(2026, 10, 23, 12);
const MIDNIGHT = Date.UTC(2026, 10, 24);

describeOnBothStores('a quota', (fixture: StoreFixture) => {
  const machineOf = async (quota: OwnerQuota, settings: QuotaSettings = {}) => {
    const clock = { nowMs: NOON };
    const store = await fixture.open();
    const quotas = { perOwner: quota, ...settings };
    return { ...createChatMachine({ store, now: () => clock.nowMs, quotas }), clock };
  };

  it('of turns counts messages and edits, and resets with the period', async () => {
    const machine = await machineOf({ turns: 3 });
    const chatId = await create(machine);
    await send(machine, chatId);
    const message = userMessage('again');
    await machine.editMessage({ owner: OWNER, chatId, messageId: 1, message });
    expect(await refusalOf(send(machine, chatId))).toMatchObject({
      code: 'quota-exceeded',
      limit: 3,
      resetsAt: MIDNIGHT,
    });
    expect((await refusalOf(create(machine)))?.message).toContain('2026-11-24T00:00:00.000Z');
    expect((await machine.listChats({ owner: OWNER, limit: 9 })).chats).toHaveLength(1);
    expect(await create(machine, 'other')).toBeTypeOf('string');
    machine.clock.nowMs = MIDNIGHT;
    expect(await refusalOf(create(machine))).toBeUndefined();
  });

  it('of tokens and money ends the turn before its next call, and refuses messages', async () => {
    for (const quota of [{ tokens: 30 }, { costUsd: 0.5 }]) {
      const machine = await machineOf(quota, { period: 'month' });
      const chatId = await create(machine);
      const { fence } = await machine.acquire({ chatId, worker: 'w' });
      expect(await machine.spentBudget(OWNER)).toBeUndefined();
      await machine.commitStep(fence, stepOf(20, 0.3));
      expect(await machine.spentBudget(OWNER)).toBeUndefined();
      await machine.chargeCall(OWNER, { ...NO_USAGE, inputTokens: 5, outputTokens: 5, costUsd: 0.2 });
      const spent = { resetsAt: Date.UTC(2026, 11, 1) };
      expect(await machine.spentBudget(OWNER)).toMatchObject(spent);
      expect(await refusalOf(send(machine, chatId))).toMatchObject({ code: 'quota-exceeded', ...spent });
      expect(await refusalOf(machine.countCall(OWNER))).toMatchObject({ code: 'quota-exceeded' });
    }
  });

  it('of chats and of open turns counts those that exist, without subagents', async () => {
    const machine = await machineOf({ chats: 2, concurrentTurns: 1 });
    const first = await create(machine);
    expect(await refusalOf(create(machine))).toMatchObject({ code: 'too-many-turns', limit: 1 });
    await machine.createChat({ owner: OWNER, model: 'm', message: userMessage('child'), parentId: first });
    await send(machine, first);
    await end(machine, first);
    await end(machine, first);
    const second = await create(machine);
    expect(await refusalOf(send(machine, first))).toMatchObject({ code: 'too-many-turns' });
    await end(machine, second);
    expect(await refusalOf(create(machine))).toMatchObject({ code: 'quota-exceeded', limit: 2 });
    await machine.deleteChat({ owner: OWNER, chatId: first });
    expect(await refusalOf(create(machine))).toBeUndefined();
  });

  it('of one owner replaces members of the quota of all', async () => {
    const machine = await machineOf({ turns: 1, chats: 1 }, { owners: { vip: { turns: 9, chats: 2 } } });
    await create(machine, 'vip');
    await create(machine, 'vip');
    expect(await refusalOf(create(machine, 'vip'))).toMatchObject({ limit: 2 });
    expect([machine.hasQuota('vip'), machine.hasQuota('constructor')]).toEqual([true, true]);
  });

  describe('with two connections', () => {
    it('admits exactly the limit of concurrent messages', async () => {
      const url = await fixture.freshUrl();
      const quotas = { perOwner: { turns: 7, chats: 5 } };
      const machines: ChatMachine[] = [];
      for (let number = 0; number < 2; number += 1) {
        machines.push(createChatMachine({ store: await fixture.open(url), quotas }));
      }
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, async (_, number) => {
          const machine = machines[number % 2];
          return machine === undefined ? undefined : await refusalOf(create(machine));
        }),
      );
      expect(outcomes.filter((refusal) => refusal === undefined)).toHaveLength(5);
      const { chats = [] } = (await machines[0]?.listChats({ owner: OWNER, limit: 50 })) ?? {};
      expect(chats).toHaveLength(5);
      const sent = await Promise.all(
        chats.map((chat, at) => refusalOf(send(machines[at % 2] ?? machines[0]!, chat.id))),
      );
      expect(sent.filter((refusal) => refusal === undefined)).toHaveLength(2);
    });
  });
});

async function create(machine: ChatMachine, owner = OWNER): Promise<string> {
  const { chat } = await machine.createChat({ owner, model: 'm', message: userMessage('hello') });
  return chat.id;
}

function send(machine: ChatMachine, chatId: string): Promise<unknown> {
  return machine.sendMessage({
    owner: OWNER,
    chatId,
    message: userMessage('more'),
    busyBehavior: 'queue',
  });
}

async function end(machine: ChatMachine, chatId: string): Promise<void> {
  const { fence } = await machine.acquire({ chatId, worker: 'w' });
  await machine.finishTurn(fence);
}

function stepOf(tokens: number, costUsd: number): Parameters<ChatMachine['commitStep']>[1] {
  const usage = { ...NO_USAGE, inputTokens: tokens / 2, outputTokens: tokens / 2, costUsd };
  const step = { finishReason: 'stop', model: 'm', usage } as const;
  return { messages: [{ role: 'assistant', parts: [{ type: 'text', text: 'a' }], step }] };
}

async function refusalOf(work: Promise<unknown>): Promise<ChatStateError | undefined> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined || ChatStateError.isInstance(error)) return error;
  throw error;
}
