/** Tests of E1: one owner's failing requests, a short rate limit, and turns that take every place. */
import { expect, vi } from 'vitest';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { declareGuarantee } from './guarantee.ts';
import { startServer } from './routes/server.ts';
import { takeTurns } from './routes/served-runs.ts';

const POISON = 'Poison';
const HANG = 'Hang';
const PATIENCE = { timeout: 120_000, interval: 10 };

/** A service that fails for one text, hangs for another, and limits the rate of the first calls. */
function service({ limited = 0 }: { readonly limited?: number } = {}) {
  const gate = Promise.withResolvers<void>();
  let [left, failed, hanging] = [limited, 0, 0];
  const script: ModelScript = async ({ userText }) => {
    if (userText === POISON) {
      failed += 1;
      return reply.error(500);
    }
    if (userText === HANG) {
      hanging += 1;
      await gate.promise;
    }
    left -= 1;
    return left >= 0 ? reply.error(429, { retryAfterSeconds: 1 }) : reply.text('Fine.');
  };
  return { script, release: () => gate.resolve(), failed: () => failed, hanging: () => hanging };
}

const asked = (content: string): object => ({ messages: [{ role: 'user', content }] });

declareGuarantee('E1', {
  runs: takeTurns,
  chat: async () => {
    const played = service({ limited: 6 });
    await using model = await scriptedModelServer({ script: played.script });
    await using server = await startServer({ serviceUrl: model.openaiUrl, limits: { concurrentTurns: 2 } });
    const bob = await server.of('bob');
    const limited = await Promise.all(Array.from({ length: 6 }, async () => server.chat('Hi')));
    expect(limited.map(({ isAccepted }) => isAccepted)).toEqual(limited.map(() => true));
    for (let sent = 0; sent < 5; sent += 1) await server.ask('/api/chats', { content: POISON });
    await vi.waitFor(() => expect(played.failed()).toBeGreaterThan(5), PATIENCE);
    expect((await bob.chat('Hi')).isAccepted).toBe(true);
    const carl = await server.of('carl');
    for (let sent = 0; sent < 4; sent += 1) await carl.ask('/api/chats', { content: HANG });
    await vi.waitFor(() => expect(played.hanging()).toBeGreaterThan(1), PATIENCE);
    expect((await bob.chat('Hi')).isAccepted).toBe(true);
    played.release();
  },
  wire: async () => {
    const played = service({ limited: 2 });
    await using model = await scriptedModelServer({ script: played.script });
    await using server = await startServer({ serviceUrl: model.openaiUrl });
    const bob = await server.of('bob');
    const limited = await Promise.all([server.completion(asked('Hi')), bob.completion(asked('Hi'))]);
    expect(limited.map(({ isAccepted }) => isAccepted)).toEqual([true, true]);
    const failed = await Promise.all(Array.from({ length: 4 }, async () => server.completion(asked(POISON))));
    expect(failed.map(({ isAccepted }) => isAccepted)).toEqual(failed.map(() => false));
    expect((await bob.completion(asked('Hi'))).isAccepted).toBe(true);
  },
});
