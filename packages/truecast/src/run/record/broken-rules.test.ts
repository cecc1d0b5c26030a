/** Broken rules of a refused answer. */
import { expect, it } from 'vitest';
import { brokenRules } from './broken-rules.ts';

it('names each place by a pointer, and bounds the rules, their text and their paths', () => {
  const rules = brokenRules([
    { path: ['lines', 0, 'a/b~'], message: `Expected\nan integer ${'x'.repeat(300)}` },
    { path: ['k'.repeat(600)], message: 'Unexpected property' },
    ...Array.from({ length: 100 }, () => ({ path: [], message: 'Expected more' })),
  ]);
  expect(rules[0]).toEqual({
    path: '/lines/0/a~1b~0',
    rule: expect.stringMatching(/^Expected an integer x+…$/u) as string,
  });
  expect(rules[0]?.rule).toHaveLength(200);
  expect(rules.slice(1)).toEqual(Array.from({ length: 18 }, () => ({ path: '', rule: 'Expected more' })));
});
