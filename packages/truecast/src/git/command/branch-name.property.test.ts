import { execFileSync } from 'node:child_process';
import { array, assert, constantFrom, pre, property } from 'fast-check';
import { expect, test } from 'vitest';
import { matrixRuns } from '../../../../../test/matrix.ts';
import { anyText } from '../../../../../test/any-text.ts';
import { assertBranchName, worktreeDirectoryName } from './branch-name.ts';

function gitAccepts(branch: string): boolean {
  try {
    execFileSync('git', ['check-ref-format', '--branch', branch], { stdio: 'ignore', cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

function weAccept(branch: string): boolean {
  try {
    assertBranchName(branch);
    return true;
  } catch {
    return false;
  }
}

const pieces = array(
  constantFrom(
    'a',
    'B',
    '1',
    '/',
    '.',
    '..',
    '-',
    '@',
    '{',
    '@{',
    '~',
    '^',
    ':',
    '?',
    '*',
    '[',
    '\\',
    ' ',
    '\t',
    '.lock',
    'lock',
    'ü',
    '\u007f',
  ),
  { maxLength: 6 },
);

test('accepts no branch name that git refuses, and refuses none that git accepts', () => {
  assert(
    property(pieces, (parts) => {
      const branch = parts.join('');
      // `@` and `@{-1}` are revision expressions in git, not names.
      pre(branch !== '@' && !branch.includes('@{'));
      expect(weAccept(branch)).toBe(gitAccepts(branch));
    }),
    // Each name is a process of git.
    { numRuns: matrixRuns(60, 300) },
  );
});

test('names a folder that is safe on every file system', () => {
  assert(
    property(anyText({ minLength: 1, maxLength: 300 }), (branch) => {
      expect(worktreeDirectoryName(branch)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,59})-[0-9a-f]{8}$/u);
    }),
  );
});
