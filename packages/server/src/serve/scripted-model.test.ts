import { expect, it } from 'vitest';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { demoReply } from './scripted-model.ts';

/** A reader sees the refused value and its issue before the valid value replaces them. */
const READABLE_MS = 1_500;

const inputSchema = {
  type: 'object',
  properties: { line: { type: 'integer', minimum: 1 } },
  required: ['line'],
  additionalProperties: false,
};
const turn = {
  tools: [{ name: FINALIZER_NAME, kind: 'function', description: '', inputSchema }],
  userText: 'Which line?',
  messages: [],
  jsonSchema: undefined,
} as const;

it('submits a refused value at once, and the valid one after a pause', () => {
  expect(demoReply(turn).type).toBe('message');
  const refusal = { type: 'tool-result', id: '1', name: FINALIZER_NAME, text: '', isError: true } as const;
  const corrected = demoReply({ ...turn, messages: [{ role: 'user', parts: [refusal] }] });
  expect(corrected).toMatchObject({ type: 'delay', reply: { type: 'message' } });
  expect(corrected.type === 'delay' && corrected.delayMs).toBeGreaterThanOrEqual(READABLE_MS);
});

it('sends an answer as one piece, and its correction at once, for a pace of 0', () => {
  const atOnce = { chunkMs: 0, correctionMs: 0 };
  const first = demoReply(turn, atOnce);
  expect(first).toMatchObject({ type: 'message', chunkChars: expect.any(Number) as number });
  expect(first).not.toHaveProperty('chunkDelayMs');
  const refusal = { type: 'tool-result', id: '1', name: FINALIZER_NAME, text: '', isError: true } as const;
  const messages = [{ role: 'user', parts: [refusal] }] as const;
  expect(demoReply({ ...turn, messages }, atOnce)).toMatchObject({ type: 'delay', delayMs: 0 });
});
