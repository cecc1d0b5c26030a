/** Masking of errors and of what they contain: no part of an error shows a secret. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { createSecretMask } from './secret-mask.ts';
import { maskValue } from './mask-value.ts';

const SECRET = 'Zorro7Q2x_pk';
const mask = createSecretMask([SECRET]);
const shown = (value: unknown): string => inspect(value, { depth: 20, showHidden: true });
const own = (evidence: object): Error =>
  Object.assign(new RepositoryError('failed', { code: 'git-failed' }), evidence);

test.each<[string, () => Error]>([
  ['in its message', () => new Error(`x ${SECRET}`)],
  ['in an error of an `AggregateError`', () => new AggregateError([new Error(SECRET)], 'all failed')],
  [
    'in an aggregate that is its cause',
    () => new Error('x', { cause: new AggregateError([new Error(SECRET)], 'all') }),
  ],
  ['in a cause that is an object', () => new Error('x', { cause: { body: SECRET } })],
  ['in a cause that is an array', () => new Error('x', { cause: [{ message: SECRET }] })],
  ['in a cause that is a text', () => new Error('x', { cause: SECRET })],
  [
    'in an error of a property',
    () => Object.assign(new Error('x'), { response: { failure: new Error(SECRET) } }),
  ],
  ['in a map', () => Object.assign(new Error('x'), { headers: new Map([[SECRET, 1]]) })],
  ['in a set', () => Object.assign(new Error('x'), { headers: new Set([SECRET]) })],
  ['in the name of a property', () => Object.assign(new Error('x'), { [SECRET]: 1 })],
  ['in a `DOMException`', () => new DOMException(SECRET, 'AbortError')],
  ["in the cause of Truecast's own", () => own({ cause: { body: SECRET } })],
  ["in an error of a property of Truecast's own", () => own({ failures: [new Error(SECRET)] })],
  ["in Truecast's own, within another", () => new Error('x', { cause: own({ stderrTail: SECRET }) })],
])('masks an error with a secret %s, and keeps its class and name', (_place, make) => {
  const error = make();
  const masked = maskValue(error, mask);
  expect(shown(masked)).not.toContain(SECRET);
  expect(shown(masked)).toContain('*'.repeat(SECRET.length));
  expect(Object.getPrototypeOf(masked)).toBe(Object.getPrototypeOf(error));
  expect(masked.name).toBe(error.name);
});

test('returns an error of other code without a secret as it is, with its identity', () => {
  const error = new AggregateError([new Error('one')], 'all', { cause: [{ message: 'two' }] });
  expect(maskValue(error, mask)).toBe(error);
  expect(error.cause).toEqual([{ message: 'two' }]);
});

test('changes an error of Truecast in place, and keeps where its work is', () => {
  const error = own({ branch: `b-${SECRET}`, stderrTail: SECRET });
  expect(maskValue(error, mask)).toBe(error);
  expect(error).toMatchObject({ branch: `b-${SECRET}`, stderrTail: '*'.repeat(SECRET.length) });
});

test('ends with errors that contain each other, and visits each once', () => {
  let texts = 0;
  const counted = { ...mask, mask: (text: string) => ((texts += 1), mask.mask(text)) };
  const errors = Array.from({ length: 30 }, (_, index) => new Error(`${index} ${SECRET}`));
  for (const error of errors) Object.assign(error, { errors });
  const masked = maskValue(errors[0], counted);
  expect(shown(masked)).not.toContain(SECRET);
  expect(texts).toBeLessThan(30 * 10);
});

test('calls no getter of an error', () => {
  let calls = 0;
  const error = Object.defineProperty(new Error(SECRET), 'body', { get: () => (calls += 1) });
  expect(shown(maskValue(error, mask))).not.toContain(SECRET);
  expect(calls).toBe(0);
});
