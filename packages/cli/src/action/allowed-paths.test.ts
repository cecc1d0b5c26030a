import { expect, it } from 'vitest';
import { isAllowedPath } from './allowed-paths.ts';

it.each([
  ['src/', 'src/a/b.ts', true],
  ['src/', 'src', false],
  ['src/', 'xsrc/a', false],
  ['src', 'src/a', false],
  ['*.md', 'a.md', true],
  ['*.md', 'docs/a.md', false],
  ['**/*.md', 'docs/x/a.md', true],
  ['**/*.md', 'a.md', true],
  ['**', 'a/b', true],
  ['**', '.npmrc', false],
  ['**', 'a/.npmrc', false],
  ['**', '.github/workflows/x.yml', false],
  ['*', '.env', false],
  ['docs/**', 'docs/.x/a', false],
  ['.github/**', '.github/workflows/x.yml', true],
  ['.github/workflows/*.yml', '.github/workflows/x.yml', true],
  ['a+b(c)/[x]', 'a+b(c)/[x]', true],
  ['a.c', 'abc', false],
  ['**', 'a\nb', true],
  ['a', 'a\nb', false],
])('with the line %s, %s is allowed: %s', (pattern, path, isAllowed) => {
  expect(isAllowedPath(path, [pattern])).toBe(isAllowed);
});

it('allows nothing without a line', () => {
  expect(isAllowedPath('a', [])).toBe(false);
});
