import { expect, it } from 'vitest';
import { NO_USAGE } from '@truecast/core/internal/kit/usage';
import { textAnswer } from '../wire/wire-answer.ts';
import { chatEncoder } from './chat-encoder.ts';
import { endedResponse } from './response-object.ts';

const REQUEST = {
  model: 'm',
  messages: [],
  tools: [],
  toolChoice: 'auto',
  allowsParallelCalls: true,
  sampling: {},
  maxOutputTokens: undefined,
  format: undefined,
  isStreamed: true,
  includesUsage: true,
  toolForms: new Map(),
  ignored: [],
} as const;
const UNREPORTED = textAnswer('Hi');
const REPORTED = textAnswer('Hi', { ...NO_USAGE, inputTokens: 3, outputTokens: 2, cacheReadInputTokens: 4 });

it('a completion has no counts that its service did not report', () => {
  const { whole, end } = chatEncoder(REQUEST);
  expect(whole(UNREPORTED)).not.toHaveProperty('usage');
  expect(end(UNREPORTED)).not.toContain('total_tokens');
  expect(whole(REPORTED)).toMatchObject({
    usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
  });
  expect(end(REPORTED)).toContain('"total_tokens":9');
});

it('a response has no counts that its service did not report', () => {
  expect(endedResponse({ id: 'r' }, UNREPORTED, [])).toMatchObject({ usage: null });
  expect(endedResponse({ id: 'r' }, REPORTED, [])).toMatchObject({
    usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 },
  });
});
