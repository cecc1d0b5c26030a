/** Turns whose model answers all of them at the same moment. */
import { expect, it } from 'vitest';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { message, testServer } from './test-server.ts';

const CROWD = 64;

it('few turns of a crowd are settled in one turn of the event loop', async () => {
  const store = await openStore({ url: ':memory:' });
  const everyone = Promise.withResolvers<void>();
  const settled = [0];
  let calls = 0;
  let isOver = false;
  const countTurn = (): void => {
    settled.push(0);
    if (!isOver) setImmediate(countTurn);
  };
  await using server = await testServer({
    store,
    concurrency: CROWD,
    script: async () => {
      calls += 1;
      if (calls === CROWD) everyone.resolve();
      await everyone.promise;
      return reply.text('Yes.');
    },
    wrap: (machine) => ({
      ...machine,
      finishTurn: (...args) => {
        settled.push((settled.pop() ?? 0) + 1);
        return machine.finishTurn(...args);
      },
    }),
  });
  const asked = Array.from({ length: CROWD }, () => server.ask(message('x')));
  await everyone.promise;
  countTurn();
  await Promise.all(asked);
  isOver = true;
  expect(settled.reduce((sum, turns) => sum + turns, 0)).toBe(CROWD);
  expect(Math.max(...settled)).toBeLessThanOrEqual(8);
  await server[Symbol.asyncDispose]();
  await store.close();
});
