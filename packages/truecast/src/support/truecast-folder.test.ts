import { expect, test } from 'vitest';
import { isReservedPath } from './truecast-folder.ts';

test.each([
  ['.truecast/.env', false, true],
  ['.TrueCast/.ENV', false, true],
  ['.truecast/logs/a.log', false, true],
  ['.truecast/worktrees', false, true],
  ['.truecast/outcomes.jsonl', false, true],
  ['.truecast', true, true],
  ['.truecast/prompt.md', true, true],
  ['.truecast/prompt.md', false, false],
  ['.truecast/.env.example', false, false],
  ['.truecast/logs.md', false, false],
  ['sub/.truecast/.env', false, false],
  ['a-link', true, false],
])('a commit of %s (link: %s) is reserved: %s', (path, isLink, expected) => {
  expect(isReservedPath(path, isLink)).toBe(expected);
});
