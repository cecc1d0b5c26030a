/** Checks what becomes of an answer by the caller's check. */
import { expect, it } from 'vitest';
import type { OutputCheckContext } from '../definition/definition.ts';
import type { SafeExtractResult } from '../definition/provenance.ts';
import { Output } from '../output.ts';
import { safeExtractOutput } from '../extract-output.ts';
import { checkAnswer } from './check-answer.ts';

const json = Output.json({ tag: 'r' });
const accepted: SafeExtractResult<unknown> = await safeExtractOutput('<r>{"a":1}</r>', json);

function contextOf(signal: AbortSignal = new AbortController().signal): OutputCheckContext {
  return { worktreePath: '', exec: () => Promise.reject(new TypeError('no shell')), signal };
}

it('keeps an answer without a check, and one that its check accepts', async () => {
  const seen: unknown[] = [];
  const check = (value: unknown, context: OutputCheckContext): undefined => {
    seen.push(value, context);
  };
  const context = contextOf();
  expect(await checkAnswer(accepted, {}, context)).toBe(accepted);
  expect(await checkAnswer(accepted, { check }, context)).toBe(accepted);
  expect(seen).toEqual([{ a: 1 }, context]);
});

it('does not check a refused answer', async () => {
  const refused = await safeExtractOutput('nothing', json);
  const check = (): never => {
    throw new TypeError('was called');
  };
  expect(await checkAnswer(refused, { check }, contextOf())).toBe(refused);
});

it.each([
  ['returns', () => 'The file is missing.'],
  ['resolves to', async () => 'The file is missing.'],
])('refuses an answer with the message that its check %s', async (_how, check) => {
  const result = await checkAnswer(accepted, { tag: 'r', check }, contextOf());
  expect(result.success || result.error).toMatchObject({
    code: 'schema-mismatch',
    tag: 'r',
    rawMatched: '{"a":1}',
    message: 'The answer fits its schema, but its check said: The file is missing. Correct the answer.',
    issues: [{ path: [], message: 'The file is missing.' }],
    cause: [{ path: [], message: 'The file is missing.' }],
  });
});

it.each([
  ['an error', new TypeError('no disk'), 'threw `"no disk"`'],
  ['another value', 7, 'threw `7`'],
])('blames a check that throws %s', async (_what, thrown, said) => {
  const check = (): never => {
    throw thrown;
  };
  const result = await checkAnswer(accepted, { tag: 'r', check }, contextOf());
  expect(result.success || result.error).toMatchObject({
    code: 'validator-error',
    tag: 'r',
    rawMatched: '{"a":1}',
    message: expect.stringContaining(said),
  });
  expect(result.success || result.error.cause).toBe(thrown);
});

it('throws the reason of an abort, and not the error of the check that it ended', async () => {
  const controller = new AbortController();
  const check = (): never => {
    controller.abort('stopped');
    throw new TypeError('killed');
  };
  await expect(checkAnswer(accepted, { check }, contextOf(controller.signal))).rejects.toBe('stopped');
});
