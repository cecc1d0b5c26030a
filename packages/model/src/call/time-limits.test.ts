/** Time limits of a request, by a clock that the tests move. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '@truecast/core/internal/output/output';
import { generate } from '../generate.ts';
import { startTimeLimits } from './time-limits.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('ends after the total time, whatever arrives', () => {
  const limits = startTimeLimits({ requestMs: 1_000 });
  vi.advanceTimersByTime(999);
  limits.progressed();
  expect(limits.signal?.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(limits.signal?.aborted).toBe(true);
  expect(limits.reached(undefined)).toMatchObject({ code: 'timeout', message: /within 1000 ms/u });
});

it('ends after a pause, and counts from the last piece', () => {
  const limits = startTimeLimits({ idleMs: 1_000 });
  for (let second = 0; second < 10; second += 1) {
    vi.advanceTimersByTime(999);
    limits.progressed();
  }
  expect(limits.reached(undefined)).toBeUndefined();
  vi.advanceTimersByTime(1_000);
  expect(limits.reached(undefined)).toMatchObject({ code: 'timeout', message: /nothing for 1000 ms/u });
});

it('ends without a limit of the caller after an hour, or a pause of ten minutes', () => {
  const limits = startTimeLimits({});
  vi.advanceTimersByTime(600_000);
  expect(limits.reached(undefined)).toMatchObject({ code: 'timeout', message: /nothing for 600000 ms/u });
  const total = startTimeLimits({ idleMs: 4_000_000 });
  vi.advanceTimersByTime(3_600_000);
  expect(total.reached(undefined)).toMatchObject({ code: 'timeout', message: /within 3600000 ms/u });
});

it('reports nothing after it was stopped, or if the caller aborted', () => {
  const caller = new AbortController();
  const limits = startTimeLimits({ requestMs: 1, idleMs: 1, signal: caller.signal });
  limits.stop();
  vi.advanceTimersByTime(10);
  expect(limits.signal?.aborted).toBe(false);
  caller.abort();
  expect(limits.signal?.aborted).toBe(true);
  expect(limits.reached(undefined)).toBeUndefined();
});

const PIECE_MS = 30_000;
const NO_TOKENS = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0, text: 0, reasoning: 0 };

/** A model that streams one piece of the answer after every 30 seconds of the test's clock. */
function slowModel(pieces: readonly string[]) {
  const parts = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    ...pieces.map((delta) => ({ type: 'text-delta', id: '1', delta })),
    { type: 'text-end', id: '1' },
    {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: NO_TOKENS, outputTokens: NO_TOKENS },
    },
  ];
  return {
    specificationVersion: 'v4',
    provider: 'test.slow',
    modelId: 'slow',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    doStream: ({ abortSignal }: { abortSignal?: AbortSignal }) =>
      Promise.resolve({
        stream: new ReadableStream({
          async pull(controller) {
            // The piece before has reached its reader when the clock moves on.
            await new Promise((resolve) => setImmediate(resolve));
            const part = parts.shift();
            if (part?.type === 'text-delta') vi.advanceTimersByTime(PIECE_MS);
            if (abortSignal?.aborted === true) controller.error(abortSignal.reason);
            else if (part === undefined) controller.close();
            else controller.enqueue(part);
          },
        }),
      }),
  };
}

const output = Output.object({ schema: z.object({ moons: z.number() }) });
const TEN_MINUTES_OF_PIECES = '{"moons": 2        }'.split('');

it('waits for an answer that streams for ten minutes', async () => {
  const model = slowModel(TEN_MINUTES_OF_PIECES);
  const { output: answer } = await generate({
    model,
    prompt: 'How many?',
    output,
    timeouts: { idleMs: 60_000 },
  });
  expect(answer).toEqual({ moons: 2 });
  expect(TEN_MINUTES_OF_PIECES.length * PIECE_MS).toBe(600_000);
});

it('gives up on it if the total time is limited', async () => {
  const model = slowModel(TEN_MINUTES_OF_PIECES);
  const asking = generate({
    model,
    prompt: 'How many?',
    output,
    timeouts: { requestMs: 300_000, idleMs: 60_000 },
  });
  await expect(asking).rejects.toMatchObject({ name: 'ModelError', code: 'timeout' });
});
