/** Checks the lines of a test run that say what was left out. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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

/** These write the reason into the title themselves. */
const SKIPPING = ['test/agents/real-cli.ts', 'test/agents/sdk-transforms.test.ts', 'test/needs.ts'];

it('has a reason for each test that can be left out: all others are skipped by `test/needs.ts`', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const files = globSync(['test/**/*.ts', '{packages,bench}/**/*.test.ts'], {
    cwd: root,
    exclude: (name) => /(?:^|\/)node_modules$/u.test(name),
  });
  const skipping = files.filter((file) =>
    /\b(?:describe|it|test)\.skip(?:If)?\(/u.test(readFileSync(`${root}${file}`, 'utf8')),
  );
  expect(skipping.toSorted()).toEqual(SKIPPING);
});
