/** Tests of the idiom counter: which lines are comments, and which of them contain an idiom. */
import { expect, it } from 'vitest';
import { commentLines, hasIdiom } from './count-idioms.ts';

it('reads comments of four words, and neither code nor tags', () => {
  const source = `/** One two three four. */\n/**\n * Five six seven eight.\n * @throws nine ten eleven twelve\n */\n// too short\nconst a = 1; // code before it is skipped\n// thirteen fourteen fifteen sixteen`;
  expect(commentLines(source)).toEqual([
    'One two three four.',
    'Five six seven eight.',
    'thirteen fourteen fifteen sixteen',
  ]);
});

it.each([
  ['The client is told of the change.', true],
  ['The client is notified of the change.', false],
  ['An answer that was cut is none.', true],
  ['Reads a file of its own format.', true],
  ['Reads its own file format.', false],
])('%s', (line, expected) => {
  expect(hasIdiom(line)).toBe(expected);
});
