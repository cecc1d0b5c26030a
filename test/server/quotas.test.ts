import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { COUNT, newRequestId, submit } from './answers.ts';
import { message, OWNER, testServer } from './test-server.ts';

let store: Store;
beforeEach(async () => {
  store = await openStore({ url: ':memory:' });
});
afterEach(async () => store.close());

it('ends a turn before the call that its owner has no budget for, with a typed failure', async () => {
  await using server = await testServer({
    store,
    // The first submission is wrong, and a repair would be the second call.
    script: [submit('{"output":{"n":"one"}}'), submit('{"output":{"n":1}}'), reply.text('never')],
    machine: { quotas: { perOwner: { tokens: 1 } } },
  });
  const requestId = newRequestId();
  const chatId = await server.ask(message('Count', { requestId, schema: COUNT }));

  const { receipt } = await server.receipt(requestId);
  expect(receipt).toMatchObject({ status: 'failed', error: { code: 'quota_exceeded' } });
  expect(receipt.error?.message).toMatch(/quota of 1 tokens is spent. It resets at \d{4}-/u);
  expect(receipt.attempts.map(({ code }) => code)).toEqual(['invalid']);
  const chat = await server.machine.readChat({ owner: OWNER, chatId });
  expect(chat).toMatchObject({ status: 'error', error: { kind: 'quota', isRetryable: false } });
  expect(server.scripted.requests).toHaveLength(1);
});

it('lets each running turn end its call, and none begin another, when the budget is spent', async () => {
  const TURNS = 3;
  const allCalled = Promise.withResolvers<undefined>();
  let calls = 0;
  await using server = await testServer({
    store,
    script: async () => {
      calls += 1;
      if (calls === TURNS) allCalled.resolve(undefined);
      await allCalled.promise;
      return submit('{"output":{"n":"one"}}');
    },
    machine: { quotas: { perOwner: { tokens: 1 } } },
  });
  const requestIds = Array.from({ length: TURNS }, newRequestId);
  await Promise.all(
    requestIds.map((requestId) => server.ask(message('Count', { requestId, schema: COUNT }))),
  );

  const ended = await Promise.all(requestIds.map((requestId) => server.receipt(requestId)));
  expect(ended.map(({ receipt }) => receipt.error?.code)).toEqual(requestIds.map(() => 'quota_exceeded'));
  expect(server.scripted.requests).toHaveLength(TURNS);
});
