import { expect, it } from 'vitest';
import { openStore } from '@truecast/store/internal/open-store';
import { prepareChat, testMachine } from '../state/test-chats.ts';
import { watchTurn } from './turn-watch.ts';

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
