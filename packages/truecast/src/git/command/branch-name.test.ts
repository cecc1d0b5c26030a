import { expect, test } from 'vitest';
import {
  assertBranchName,
  isTemporaryBranch,
  temporaryBranchName,
  worktreeDirectoryName,
} from './branch-name.ts';

const now = new Date(2026, 0, 2, 3, 4, 5);
const random = Uint8Array.of(0x0a, 0xbc, 0xde);

test('names a temporary branch by its run, the local time and three random bytes', () => {
  expect(temporaryBranchName({ now, random })).toBe('truecast/20260102-030405-0abcde');
  expect(temporaryBranchName({ name: 'Fix: Issue #7!', now, random })).toBe(
    'truecast/fix-issue-7/20260102-030405-0abcde',
  );
});

test('leaves out a name that has no letter or digit', () => {
  expect(temporaryBranchName({ name: '..//', now, random })).toBe('truecast/20260102-030405-0abcde');
});

test('recognizes its own names only', () => {
  expect(isTemporaryBranch('truecast/fix/20260102-030405-0abcde')).toBe(true);
  expect(isTemporaryBranch('truecast/feature')).toBe(false);
  expect(isTemporaryBranch('ci/agents/20260102-030405-0abcde')).toBe(true);
  expect(isTemporaryBranch('20260102-030405-0abcde')).toBe(false);
});

test('gives different branches different folders', () => {
  const names = ['a/b', 'a-b', 'A-b', 'a--b', 'a_b'].map(worktreeDirectoryName);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(5);
  expect(names[0]).toMatch(/^a-b-[0-9a-f]{8}$/u);
});

test.each([
  '',
  'HEAD',
  '@',
  '-x',
  'a b',
  'a..b',
  'a.lock',
  'a.lock/b',
  '.a',
  'a/.b',
  'a//b',
  '/a',
  'a/',
  'a.',
  'a@{1}',
  'a~1',
  'a\nb',
  'refs/heads/a',
])('refuses the branch name %j', (branch) => {
  expect(() => assertBranchName(branch)).toThrow(expect.objectContaining({ code: 'invalid-branch' }));
});

test.each(['a', 'feature/x', 'a@b', 'a{b}', '日本', 'a.b-c_d'])('accepts the branch name %j', (branch) => {
  expect(() => assertBranchName(branch)).not.toThrow();
});
