import type { LanguageModelUsage } from 'ai';
import { expect, it } from 'vitest';
import { toUsage } from './sdk-terms.ts';

const usageOf = (inputTokens: number, outputTokens: number, cacheReadTokens = 0): LanguageModelUsage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
  inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens, cacheWriteTokens: undefined },
  outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
});
const NONE = { inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };

it('separates cached input', () => {
  expect(toUsage(usageOf(10, 5, 4))).toEqual({
    ...NONE,
    inputTokens: 6,
    outputTokens: 5,
    cacheReadInputTokens: 4,
  });
});

it.each([-1, -1e308, 1e308, Number.POSITIVE_INFINITY, Number.NaN])(
  'does not accept %d as a count',
  (count) => {
    expect(toUsage(usageOf(count, count, count))).toBeUndefined();
    expect(toUsage(usageOf(5, count))).toBeUndefined();
    expect(toUsage(usageOf(5, 5, count))).toEqual({ ...NONE, inputTokens: 5, outputTokens: 5 });
  },
);

it.each([0, -1, Number.NaN])('is unknown without input, as each request has some: %d', (count) => {
  expect(toUsage(usageOf(count, 5))).toBeUndefined();
  expect(toUsage({ ...usageOf(5, 5), inputTokens: undefined, outputTokens: undefined })).toBeUndefined();
});
