/** Each mistake in a call ends in a typed error that says what was expected, what came, and the next step. */
import { expect, it } from 'vitest';
import { TruecastError } from '../../packages/core/src/errors/base/truecast-error.ts';
import { MISTAKES } from './mistakes.ts';

it('covers at least 60 mistakes, each once', () => {
  expect(new Set(MISTAKES.map(({ title }) => title)).size).toBe(MISTAKES.length);
  expect(MISTAKES.length).toBeGreaterThanOrEqual(60);
});

it.each(MISTAKES)('$title', async ({ call, expected, got, next }) => {
  const refused: unknown = await Promise.resolve()
    .then(call)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(refused).toBeInstanceOf(TruecastError);
  const { message } = refused as TruecastError;
  for (const part of [expected, got, next]) expect(message).toMatch(part);
});
