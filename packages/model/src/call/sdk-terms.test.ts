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
    expect(toUsage(usageOf(count, count, count))).toEqual(NONE);
    expect(toUsage(usageOf(count, 5))).toEqual({ ...NONE, outputTokens: 5 });
  },
);
