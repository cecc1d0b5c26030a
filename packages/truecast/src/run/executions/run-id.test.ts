import { expect, it } from 'vitest';
import { assertRepeatable } from './run-id.ts';

const branchStrategy = { type: 'merge-to-head' };
const check = (options: object, isTemporary = true): void =>
  assertRepeatable({ branchStrategy, ...options }, isTemporary);

it.each([undefined, 'job-1', 'Auftrag 7 ✓', '../../etc/passwd', 'a'.repeat(200)])(
  'accepts the id %j',
  (id) => {
    expect(() => check(id === undefined ? {} : { id })).not.toThrow();
  },
);

it.each(['', '  ', 'a\nb', 'a\u001B[2J', 'a\u202Eb', 'a\u2028b', '\uD800', 'a'.repeat(201), 7, null])(
  'refuses the id %j',
  (id) => {
    expect(() => check({ id })).toThrow('Expected `id` to be a string of 1 to 200 characters');
  },
);

it.each<[string, object, boolean, string]>([
  ['in a kept place', { id: 'a' }, false, 'Expected no `id` for a run in a place that outlives it'],
  ['in the checkout', { id: 'a', branchStrategy: { type: 'head' } }, true, 'Expected a branch of its own'],
  ['without an id', { onCheckpoint: () => undefined }, true, '`id` is absent'],
  [
    'with a text as listener',
    { id: 'a', onCheckpoint: 'x' },
    true,
    'Expected `onCheckpoint` to be a function',
  ],
])('refuses a run %s', (_name, options, isTemporary, message) => {
  expect(() => check(options, isTemporary)).toThrow(message);
});
