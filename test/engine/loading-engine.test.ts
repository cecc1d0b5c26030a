/**
 * An engine that loads its weights for 30 seconds, as llama-server does: each route waits for it. The
 * clock is fake: a wait moves it, and takes no time.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import type { ScriptStep } from '../../packages/testing/src/scripted-model/model-script.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { rightOf } from '../guarantees/played-reply.ts';
import { MODEL_ROUTES } from '../guarantees/routes/model-routes.ts';
import { COUNT, newRequestId } from '../server/answers.ts';
import { message, testServer } from '../server/test-server.ts';

const clock = { nowMs: 0 };
/** A longer one is not for the engine. */
const LONGEST_WAIT_MS = 5_000;
const realNow = performance.now.bind(performance);
const realSleep = timers.setTimeout;

beforeEach(() => {
  clock.nowMs = 0;
  vi.spyOn(timers, 'setTimeout').mockImplementation(async (ms = 0, value, options) => {
    if (ms > LONGEST_WAIT_MS) return realSleep(ms, value, options);
    clock.nowMs += ms;
    return value;
  });
  // Modules import the function by its name.
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const LOADS_FOR_MS = 30_000;
/** How a chat of the fixture shortens its waits. */
const FACTOR = 0.001;

/** The body that llama-server answers with until it has read its weights. */
function engine(answer: string): ScriptStep {
  const loading = reply.error(503, { message: 'Loading model', code: 'unavailable_error' });
  return () => (clock.nowMs < LOADS_FOR_MS ? loading : reply.text(answer));
}

it.each(['generate', 'ensemble', 'wire'] as const)('%s has its answer after ten refusals', async (route) => {
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + clock.nowMs);
  await using server = await scriptedModelServer({ script: engine(rightOf(route)) });
  const { isAccepted } = await MODEL_ROUTES[route]({ serviceUrl: server.openaiUrl, count: 1 });
  // 0.25 s, doubled up to 5 s.
  expect([isAccepted, server.turns.length, clock.nowMs]).toEqual([true, 11, 32_750]);
});

it('a wait that is shorter than the loading ends with a timeout', async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + clock.nowMs);
  await using server = await scriptedModelServer({ script: engine(rightOf('generate')) });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'm' });
  const output = Output.object({ schema: z.strictObject({ answer: z.number() }) });
  const asking = generate({ model, prompt: 'How many?', output, timeouts: { loadingMs: 20_000 } });
  await expect(asking).rejects.toMatchObject({ code: 'timeout' });
});

it('a chat has its answer after seven refusals, without a slot in between', async () => {
  const store = await openStore({ url: ':memory:' });
  await using server = await testServer({
    store,
    script: engine('{"n":1}'),
    capabilities: { takesNativeSchema: true },
    ports: { backoffFactor: FACTOR },
    wrap: (machine) => ({
      ...machine,
      recordRetry: async (fence, retry) => {
        clock.nowMs += retry.delayMs / FACTOR;
        return machine.recordRetry(fence, retry);
      },
    }),
  });
  const requestId = newRequestId();
  await server.ask(message('Count', { requestId, schema: COUNT }));
  const { status } = await server.receipt(requestId);
  // 1 s, doubled up to 6 s.
  expect([status, server.scripted.turns.length, clock.nowMs]).toEqual(['succeeded', 8, 31_000]);
  await store.close();
});
