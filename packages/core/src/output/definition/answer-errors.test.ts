/** Errors of answers: whole messages, attempts and causes. */
import { describe, expect, it } from 'vitest';
import { Output } from '../output.ts';
import { refuse } from '../judge/judged.ts';
import {
  attemptOf,
  mismatchError,
  notProducedError,
  refusalError,
  tagNotFoundError,
  validatorError,
  withAttempts,
} from './answer-errors.ts';
import type { Refusal } from './answer-errors.ts';

const tagged = Output.json({ tag: 'r', maxPayloadBytes: 9 });
const untagged = Output.json();
const cause = new SyntaxError('x');

it.each<[Refusal['code'], string, string | undefined]>([
  [
    'invalid-json',
    'Expected JSON between `<r>` and `</r>`, got invalid JSON `a b`: why. Set `maxCorrections` to ask for a correction.',
    ' a\n b ',
  ],
  [
    'truncated',
    'Expected an answer between `<r>` and `</r>`, got one that was started and not closed: `a b`. Raise the limit of output tokens, or ask for less.',
    ' a\n b ',
  ],
  [
    'too-large',
    'Expected an answer between `<r>` and `</r>` of at most 9 bytes, got a larger one. Raise `maxPayloadBytes`, or ask for less.',
    undefined,
  ],
  [
    'runaway',
    'Expected an answer between `<r>` and `</r>`, got a reply that was ended because it runs away, with why: `a b`. Set lengths in the schema, or set `endRunaways: false` if the repetition is right.',
    ' a\n b ',
  ],
  [
    'ambiguous',
    'Expected one answer between `<r>` and `</r>`, got several: why. Set `maxCorrections` to ask for one, or request a list with `Output.array`.',
    ' a\n b ',
  ],
])('%s', (code, message, rawMatched) => {
  const error = refusalError(tagged, refuse(code, ' a\n b ', { reason: 'why', cause }));
  expect(error).toMatchObject({ code, message, rawMatched, tag: 'r', cause, issues: [] });
  expect(error.attempts).toEqual([{ code, message, ...(rawMatched !== undefined && { rawMatched }) }]);
  const { message: without } = refusalError(untagged, refuse(code, 'a', { reason: 'why' }));
  expect(without).not.toContain('between');
});

it('a mismatch shows its first issue, and counts the others', () => {
  const first = { path: ['a', 0], message: 'Expected\na number' };
  const said = 'Expected a valid answer, got `{}`, which failed schema validation: ';
  const of = (issues: Refusal['issues']): string =>
    refusalError(untagged, refuse('schema-mismatch', '{}', { issues })).message;
  expect(of([])).toBe(
    `${said}it gave no reason. Read \`issues\`, and set \`maxCorrections\` to ask for a correction.`,
  );
  expect(of([first])).toContain(`${said}at a[0]: Expected a number. Read`);
  expect(of([first, first, first])).toContain('at a[0]: Expected a number (and 2 more). Read');
  expect(mismatchError(tagged, { raw: '{}', issues: [first], cause })).toMatchObject({
    issues: [first],
    cause,
    rawMatched: '{}',
  });
});

it.each([
  [new Error('no disk'), '`"no disk"` (string)'],
  ['a text', '`"a text"` (string)'],
])('a schema that threw is named with its exception: %s', (thrown, shown) => {
  const error = refusalError(untagged, refuse('validator-error', '1', { cause: thrown }));
  expect(error).toMatchObject({ code: 'validator-error', cause: thrown, rawMatched: '1' });
  expect(error.message).toBe(
    `Expected the schema to validate the answer, got an exception from it: ${shown}. Fix the schema; \`cause\` is the exception.`,
  );
  expect(validatorError(untagged, { raw: '1', cause: thrown }).message).toBe(error.message);
});

it('an absent answer has no text', () => {
  expect(tagNotFoundError(tagged)).toMatchObject({ code: 'tag-not-found', rawMatched: undefined, tag: 'r' });
  expect(notProducedError(untagged)).toMatchObject({
    code: 'not-produced',
    message: expect.stringContaining('the text is not searched instead') as string,
  });
  expect(notProducedError(untagged, { message: 'None.' }).message).toBe('None.');
});

describe('after several attempts', () => {
  const error = tagNotFoundError(tagged);
  const [one] = error.attempts;
  const attempts = [one!, one!];

  it('an error counts them, instead of advice to retry', () => {
    const counted = withAttempts(error, attempts);
    expect(counted).toMatchObject({ code: 'tag-not-found', tag: 'r', attempts });
    expect(counted.message).toBe(
      'Expected an answer between `<r>` and `</r>`, got text without one. Refused 2 times: read `attempts`, and correct the prompt or the schema.',
    );
    const other = notProducedError(untagged, { message: 'It is gone. Do this.' });
    expect(withAttempts(other, attempts).message).toBe('It is gone. Do this. Refused 2 times.');
  });

  it('a note replaces the count, also after one attempt', () => {
    expect(withAttempts(error, [one!]).message).toBe(error.message);
    expect(withAttempts(error, [one!], 'The budget is spent.').message).toBe(
      'Expected an answer between `<r>` and `</r>`, got text without one. The budget is spent.',
    );
    expect(withAttempts(error, attempts, 'The budget is spent.').message).toMatch(
      /without one\. The budget is spent\.$/u,
    );
  });
});

it('the record of an attempt has its usage, and no advice to retry', () => {
  const error = refusalError(untagged, refuse('invalid-json', 'x', { reason: 'why' }));
  const record = {
    code: 'invalid-json',
    message: 'Expected JSON, got invalid JSON `x`: why.',
    rawMatched: 'x',
  };
  expect(attemptOf({ success: false, error })).toEqual(record);
  const usage = { inputTokens: 1, outputTokens: 2, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
  expect(attemptOf({ success: false, error }, usage)).toEqual({ ...record, usage });
  const provenance = { mode: 'tag', attempts: [], raw: '{}', repairs: [] } as const;
  expect(attemptOf({ success: true, output: {}, provenance })).toEqual({
    code: 'ok',
    message: 'The answer is valid.',
    rawMatched: '{}',
  });
});
