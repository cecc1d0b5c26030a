/** Spelling suggestions: near words match, distant words do not. */
import { expect, it } from 'vitest';
import { suggest } from './suggest.ts';

const KNOWN = ['may_emit', 'subscribes_to', 'model_profile', 'model_endpoint', 'tools'];

it.each([
  ['mayEmit', 'may_emit'],
  ['may-emit', 'may_emit'],
  ['subscibes', 'subscribes_to'],
  ['modle_profile', 'model_profile'],
  ['endpoint_model', undefined],
  ['tool', 'tools'],
  ['x', undefined],
  ['', undefined],
  ['t'.repeat(5_000), undefined],
])('of `%s` is `%s`', (word, expected) => {
  expect(suggest(word, KNOWN)).toBe(expected === undefined ? undefined : `Did you mean \`${expected}\`?`);
});
