/** Checks the lines of a test run that say what was left out. */
import { expect, it } from 'vitest';
import { leftOutLines } from './summary-reporter.ts';

const LFS = '`git-lfs` is not on the PATH. Install it: `apt install git-lfs`';
const TESTS = [
  { suite: 'a.test.ts > git-lfs', reason: LFS },
  { suite: 'a.test.ts > git-lfs', reason: LFS },
  { suite: 'b.test.ts > filters', reason: LFS },
  { suite: 'c.test.ts > a pipe', reason: undefined },
];

it('counts the tests of each missing program in one line, and names suites without a reason', () => {
  expect(leftOutLines(TESTS, false)).toEqual([
    `left out: 3 tests, ${LFS}`,
    'skipped: c.test.ts > a pipe',
    'left out: 1 test, no reason is named',
  ]);
});

it('names each suite once where a skipped test fails the run', () => {
  expect(leftOutLines(TESTS.slice(0, 3), true)).toEqual([
    'skipped: a.test.ts > git-lfs',
    'skipped: b.test.ts > filters',
    `left out: 3 tests, ${LFS}`,
  ]);
});
