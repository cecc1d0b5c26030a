import { expect, it } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { shownError } from './shown-error.ts';

it('shows an error of the client as it is', () => {
  const error = new UsageError('Pass a prompt.');
  expect(shownError(error)).toBe(error);
});

it.each([
  ['an exception', new TypeError('no window'), 'no window'],
  ['a thrown text', 'no window', 'no window'],
  ['a thrown object without a prototype', Object.create(null) as unknown, 'an exception: `{}`'],
])('shows %s as an error with a code and a cause', (_, cause, said) => {
  const error = shownError(cause);
  expect(error).toMatchObject({ name: 'ServerError', code: 'invalid-response', cause });
  expect(error.message).toContain(said);
});
