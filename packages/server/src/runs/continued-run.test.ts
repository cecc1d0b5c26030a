/** Tests of follow-ups: the inherited session, and the prompt with and without it. */
import { toAnswerFormat } from '@truecast/client/internal/answer/answer-format';
import { Output } from '@truecast/core/internal/output/output';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { continuationOf, continuedPrompt } from './continued-run.ts';

const request = { prompt: 'Fix it.' };
const ASKING = Output.object({ schema: z.object({ cause: z.string() }), question: true, decline: true });

it('a follow-up has the session of the last run that had one, and all prompts', () => {
  const first = continuationOf({ request, sessionId: 's1' });
  expect(first).toEqual({ prompt: 'Fix it.', sessionId: 's1' });
  // It was canceled before its agent started.
  const second = continuationOf({ request: { prompt: 'Test it.' }, continued: first });
  expect(second).toEqual({ prompt: 'Fix it.\n\nTest it.', sessionId: 's1' });
  const third = continuationOf({ request: { prompt: 'Ship it.' }, continued: second, sessionId: 's3' });
  expect(third.sessionId).toBe('s3');
});

it('a message is the prompt in the session, and follows the earlier prompts without it', () => {
  const continued = continuationOf({ request });
  expect(continuedPrompt('Test it.', continued, { hasSession: true })).toBe('Test it.');
  expect(continuedPrompt('Test it.', continued, { hasSession: false })).toBe(
    'Fix it.\n\nYou have begun this task before, and your work is here.\n\nTest it.',
  );
});

/** A request whose answer can be a question, as the client sends it. */
const asking = { ...request, response_format: toAnswerFormat({ output: ASKING }).format };

it.each([
  ['{"value":{"question":{"text":"Which?"}}}', '{"text":"Which?"}'],
  ['{"value":{"question":{"text":"Which?"},"answer":null}}', '{"text":"Which?"}'],
  ['{"value":{"answer":{"question":"Which?"}}}', undefined],
  ['{"value":{"declined":"No."}}', undefined],
  ['"question"', undefined],
  ['[1', undefined],
])('the value %s has the question %s', (valueText, question) => {
  expect(continuationOf({ request: asking, valueText }).question).toBe(question);
  // The schema of the request alone says what a question is.
  expect(continuationOf({ request, valueText }).question).toBeUndefined();
});

it('a message after a question is its answer', () => {
  const valueText = '{"value":{"question":{"text":"Which?"}}}';
  const continued = continuationOf({ request: asking, valueText });
  expect(continuedPrompt('The first.', continued, { hasSession: true })).toBe(
    'The answer to your question: The first.\n\nContinue with the task.',
  );
  expect(continuedPrompt('The first.', continued, { hasSession: false })).toContain(
    'You asked a person: {"text":"Which?"}\n\nThe answer to your question: The first.',
  );
});

it('the newest part of very long prompts is kept', () => {
  const continued = { prompt: 'a'.repeat(262_144) };
  expect(continuationOf({ request, continued }).prompt).toMatch(/^a+\n\nFix it\.$/u);
  expect(continuationOf({ request, continued }).prompt).toHaveLength(262_144);
});
